"""Functions of version 1 that differ from version 2's."""

import numpy as np
import pytest

import reflow as tf

v1 = tf.compat.v1


def test_branches_that_only_do_something_are_an_operation():
    with tf.Graph().as_default(), v1.Session() as session:
        v, flag = v1.get_variable("v", initializer=1.0), v1.placeholder(tf.bool, [])
        step = v1.cond(flag, lambda: tf.group(v1.assign_add(v, 1.0)), tf.no_op)
        session.run(v.initializer)
        for value in (True, False, True):
            session.run(step, {flag: value})
        assert session.run(v) == 3.0


def test_eager_variables_of_a_scope_have_its_name_once():
    v1 = tf.compat.v1
    with v1.variable_scope("some_scope"), v1.name_scope("inner"):
        assert v1.get_variable("matrix", [2]).name == "some_scope/matrix:0"


def test_eager_code_makes_a_new_variable_for_each_name_it_asks_for():
    def names(**options):
        with v1.variable_scope("scope", **options):
            first, second = v1.get_variable("w", [1]), v1.get_variable("w", [1])
        assert first is not second
        return first.name, second.name

    assert names() == names(reuse=True) == names(reuse=v1.AUTO_REUSE) == ("scope/w:0", "scope/w:0")
    template = v1.make_template("template", lambda: v1.get_variable("w", [1]))
    assert template() is template()


def test_eager_variables_can_be_partitioned():
    for _ in range(2):
        parts = v1.get_variable("parts", [4, 2], partitioner=v1.fixed_size_partitioner(2))
        assert [p.name for p in parts] == ["parts/part_0:0", "parts/part_1:0"]
        assert tf.convert_to_tensor(parts).shape == [4, 2]


def test_a_sparse_placeholder_with_a_tensor_as_its_shape():
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.sparse_placeholder(tf.float32, shape=tf.constant([3, 4], tf.int64), name="s")
        assert (
            x.shape == [3, 4] and x.indices.shape.as_list() == [None, 2]
            and x.dense_shape.op.type == "PlaceholderWithDefault"
        )
        fed = session.run(x, {x: (np.array([[0, 1]]), np.array([1.0]), np.array([3, 4]))})
        assert fed.indices.tolist() == [[0, 1]] and fed.values.tolist() == [1.0] and fed.dense_shape.tolist() == [3, 4]
        unknown = v1.sparse_placeholder(tf.float32, shape=v1.placeholder(tf.int64, [2]))
        assert unknown.shape.as_list() == [None, None]


@pytest.mark.parametrize("name", ["sigmoid", "softmax", "sparse_softmax"])
def test_cross_entropies_take_labels_and_logits_by_place(name):
    """Real TensorFlow 2.21: 0.6931472 each; the texts of errors are its texts."""
    function = getattr(tf.compat.v1.nn, f"{name}_cross_entropy_with_logits")
    labels = {"sigmoid": [1.0], "softmax": [[1.0, 0.0]], "sparse_softmax": [1]}[name]
    logits = [0.0] if name == "sigmoid" else [[0.0, 0.0]]
    assert function(labels, logits).numpy().round(7).tolist() == [pytest.approx(0.6931472)]
    with pytest.raises(ValueError, match="Both `labels` and `logits` must be provided for .*Received: labels=None and"):
        function(logits=logits)


def test_arguments_in_the_order_of_version_one():
    assert tf.compat.v1.strings.split(["a b"], None, -1, "RaggedTensor", None, "named").to_list() == [[b"a", b"b"]]
    with tf.Graph().as_default():
        with tf.compat.v1.device(device_name_or_function="/cpu:0"):
            assert tf.constant(1.0).device == "/device:CPU:0"
        getter = lambda getter, name, *args, **kwargs: getter(f"{name}_kept", *args, **kwargs)
        v = tf.compat.v1.get_local_variable("v", [2], None, None, None, False, None, None, None, True, None, getter)
        assert v.name == "v_kept:0" and not tf.compat.v1.trainable_variables()
    with pytest.raises(RuntimeError, match="does not support functions when eager execution is enabled"):
        tf.compat.v1.device(lambda node: "/cpu:0")
    with pytest.raises(TypeError):
        tf.compat.v1.all_variables("scope")


def test_sizes_of_parts_are_positive():
    """The messages are TensorFlow's, with a space that it forgets."""
    with pytest.raises(ValueError, match="Both max_shard_bytes and bytes_per_string_element must be positive"):
        v1.variable_axis_size_partitioner(0)
    with pytest.raises(ValueError, match="max_shards must be positive"):
        v1.variable_axis_size_partitioner(4, max_shards=-1)
    assert v1.variable_axis_size_partitioner(4, max_shards=0)(tf.TensorShape([8, 3]), tf.float32) == [8, 1]


def test_what_a_template_made():
    def layer():
        v1.get_local_variable("seen", [])
        return v1.get_variable("w", []) + v1.get_variable("fixed", [], trainable=False)

    with tf.Graph().as_default():
        template = v1.make_template("layer", layer)
        assert template.variables == [] and template.func is layer
        template()
        assert template.variable_scope_name == "layer/" and template.var_scope.name == "layer"
        assert [v.name for v in template.weights] == ["layer/w:0", "layer/fixed:0", "layer/seen:0"]
        assert [v.name for v in template.trainable_weights] == ["layer/w:0"]
        assert [v.name for v in template.non_trainable_variables] == ["layer/fixed:0", "layer/seen:0"]
        assert [v.name for v in template.local_variables] == ["layer/seen:0"]


def test_a_histogram_without_bins():
    with tf.Graph().as_default(), pytest.raises(ValueError, match="Requires nbins > 0: 0"):
        tf.histogram_fixed_width([1.0], [0.0, 5.0], 0)
