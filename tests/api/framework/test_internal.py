"""`tf.__internal__`, `tf.distribute` with one replica, `tf.raw_ops`, `tf.io.gfile`: what Keras' backend stands on."""

import inspect

import pytest

import reflow as tf

internal = tf.__internal__


def test_composites():
    slices = tf.IndexedSlices(tf.ones([1, 2]), tf.constant([0]))
    for value in (tf.Variable(1.0), tf.sparse.from_dense([1, 0]), tf.ragged.constant([[1]]), slices):
        assert isinstance(value, internal.CompositeTensor)
    assert not isinstance(tf.constant(1), internal.CompositeTensor)
    assert isinstance(tf.constant(1), internal.EagerTensor)


def test_smart_cond():
    assert internal.smart_cond.smart_cond(True, lambda: 1, lambda: 2) == 1
    assert internal.smart_cond.smart_cond(tf.constant(False), lambda: 1, lambda: 2) == 2

    @tf.function
    def f(p, x):
        known = internal.smart_cond.smart_cond(tf.constant(True), lambda: 1, lambda: 2)
        assert known == 1
        return internal.smart_cond.smart_cond(p, lambda: x + 1, lambda: x - 1)

    assert f(tf.constant(False), tf.constant(5)).numpy() == 4
    with pytest.raises(TypeError, match="Argument `true_fn` must be callable"):
        internal.smart_cond.smart_cond(True, 1, lambda: 2)
    with pytest.raises(TypeError, match="Argument `pred` must be"):
        internal.smart_cond.smart_cond("x", lambda: 1, lambda: 2)


def test_eager_mode_inside_a_graph():
    with internal.FuncGraph("g").as_default():
        assert not tf.executing_eagerly()
        with internal.eager_context.eager_mode():
            assert tf.constant(3).numpy() == 3
    assert internal.tf2.enabled()
    internal.eager_context.async_wait()
    internal.eager_context.context().clear_kernel_cache()
    assert internal.eager_context.context().executing_eagerly()


def test_decorators():
    def target(a, b=2):
        """A target."""
        return a + b

    wrapped = internal.decorator.make_decorator(target, lambda *args: target(*args), "mine")
    decorators, inner = internal.decorator.unwrap(wrapped)
    assert inner is target and [d.decorator_name for d in decorators] == ["mine"]
    assert wrapped.__name__ == "target" and wrapped.__doc__ == "A target." and wrapped(1) == 3
    assert internal.decorator.unwrap(target) == ([], target)


def test_type_spec_registry():
    names = internal.type_spec_registry
    assert (
        names.lookup("tf.TensorSpec") is tf.TensorSpec and names.get_name(tf.RaggedTensorSpec) == "tf.RaggedTensorSpec"
    )
    with pytest.raises(ValueError, match="No TypeSpec has been registered with name 'nope'"):
        names.lookup("nope")
    with pytest.raises(ValueError, match="has already been registered"):
        names.register("tf.Another")(tf.TensorSpec)


def test_dynamic_update_slice():
    update = internal.xla.dynamic_update_slice
    x = tf.reshape(tf.range(12.0), [3, 4])
    assert update(x, -tf.ones([2, 2]), [1, 1]).numpy().tolist() == [[0, 1, 2, 3], [4, -1, -1, 7], [8, -1, -1, 11]]
    assert update(x, -tf.ones([2, 2]), [9, 9]).numpy().tolist() == [[0, 1, 2, 3], [4, 5, -1, -1], [8, 9, -1, -1]]
    assert tf.function(update)(x, -tf.ones([1, 4]), tf.constant([2, 0])).numpy()[2].tolist() == [-1] * 4


def test_do_not_convert():
    marked = tf.autograph.experimental.do_not_convert(lambda x: x + 1)
    assert marked(1) == 2 and hasattr(marked, "autograph_info__")
    assert tf.autograph.experimental.do_not_convert()(abs)(-1) == 1


def test_a_decorator_with_an_argspec_shows_it():
    class Layer:
        def call(self, x):
            return x * 2

    layer = Layer()
    spec = inspect.FullArgSpec(["self", "x"], "rest", "more", (1,), ["training"], {"training": False}, {})
    wrapped = tf.__internal__.decorator.make_decorator(layer.call, lambda *args, **kwargs: 0, decorator_argspec=spec)
    assert str(inspect.signature(wrapped)) == "(x=1, *rest, training=False, **more)"
    assert tf.__internal__.getfullargspec(wrapped) is spec


def test_a_function_is_a_decorator():
    class Layer:
        @tf.function
        def call(self, x, training=False):
            return x

    decorators, target = tf.__internal__.decorator.unwrap(Layer.call)
    assert [d.decorator_name for d in decorators] == ["tf.function"] and target is Layer.call.python_function
    assert tf.__internal__.getfullargspec(Layer.call).args == ["self", "x", "training"]
    assert Layer().call.function_spec.arg_names == ["x", "training"]
    bound = Layer().call.python_function
    both = tf.__internal__.decorator.make_decorator(bound, lambda *args: (args[0], []))
    assert tf.function(both)(tf.constant(1.0))[1] == []  # not the method itself


def test_what_keras_2_asks_of_graphs():
    v, seen = tf.Variable(1.0), []

    @tf.function
    def f(x):
        graph = x.graph
        seen.append((v.assign(x).op.type, graph.outer_graph.building_function, graph._get_control_flow_context()))
        with tf.variable_creator_scope(lambda following, **kwargs: following(**kwargs)):
            seen.append(len(graph._variable_creator_stack))
        with tf.name_scope("a"), tf.init_scope():
            seen.append(tf.Variable(0.0, name="b").name)
        with tf.GradientTape() as tape:
            tape.watch(x)
            with graph.as_default():
                y = x * x
        return tape.gradient(y, x)

    assert float(f(tf.constant(3.0))) == 6.0
    assert seen == [("AssignVariableOp", False, None), 1, "a/b:0"]
