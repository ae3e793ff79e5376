"""`tf.saved_model.save`: what is written, what is refused, options."""

import collections

import pytest

import reflow as tf
from reflow.core import errors
from reflow.train import bundle
from tests.saved_model.models import Scale, Signed, read


def test_object_graph_and_checkpoint_agree(trainer):
    meta = read(trainer[1])
    nodes = meta.object_graph_def.nodes
    kinds = collections.Counter(n.WhichOneof("kind") for n in nodes)
    assert kinds["variable"] == 13 and kinds["function"] == 7 and kinds["constant"] == 1
    for name, function in meta.object_graph_def.concrete_functions.items():
        definition = next(f for f in meta.graph_def.library.function if f.signature.name == name)
        bound = [nodes[i].WhichOneof("kind") for i in function.bound_inputs]
        assert set(bound) <= {"variable", "constant"}
        assert len(definition.signature.input_arg) >= len(bound)
    keys = set(bundle.Reader(trainer[1] / "variables" / "variables"))
    assert "weights/0/.ATTRIBUTES/VARIABLE_VALUE" in keys and "slots/m/3/.ATTRIBUTES/VARIABLE_VALUE" in keys
    assert set(meta.signature_def) == {"serving_default", "train", "__saved_model_init_op"}
    assert meta.signature_def["train"].inputs["x"].tensor_shape.dim[0].size == -1
    assert meta.meta_info_def.tags == ["serve"]


def test_equal_models_are_equal_files(tmp_path):
    tf.saved_model.save(Scale(), tmp_path / "a")
    tf.saved_model.save(Scale(), tmp_path / "b")
    assert (tmp_path / "a" / "saved_model.pb").read_bytes() == (tmp_path / "b" / "saved_model.pb").read_bytes()


def test_round_trip(tmp_path):
    module = Scale()
    first, second = tf.constant([1.0]), tf.constant([2.0])
    module.mix((first, {"b": second}))
    module.mix((first, {"b": second}), weights=(0.0, 1.0), negate=True)
    module.factor.assign(4.0)
    tf.saved_model.save(module, tmp_path)
    assert tf.saved_model.contains_saved_model(tmp_path)
    for _ in range(2):  # the second time, what was loaded is saved again
        loaded = tf.saved_model.load(tmp_path)
        assert loaded([1.0, 2.0]).numpy().tolist() == [4.0, 8.0]
        assert loaded.shift([1.0, 1.0])["minus"].numpy().tolist() == [0.5, 0.75]
        result = loaded.mix((first, {"b": second}))
        assert result[0].numpy().tolist() == [5.0] and result[1] is None
        assert loaded.mix((first, {"b": second}), (0.0, 1.0), negate=True)[0].numpy().tolist() == [-2.0]
        with pytest.raises(ValueError, match="Could not find matching concrete function"):
            loaded.mix((first, {"b": second}), negate=7)
        assert loaded.factor.trainable and loaded.factor.name == "factor:0"
        with tf.GradientTape() as tape:
            y = loaded(tf.constant([3.0]))
        assert tape.gradient(y, loaded.factor).numpy() == 3.0
        loaded.factor.assign(2.0)
        assert loaded([1.0]).numpy().tolist() == [2.0]
        loaded.factor.assign(4.0)
        tf.saved_model.save(loaded, tmp_path / "again")
        tmp_path = tmp_path / "again"


def test_errors_of_saving(tmp_path):
    module = tf.Module()
    hidden = tf.Variable(1.0)
    module.f = tf.function(lambda x: x * hidden, input_signature=[tf.TensorSpec([], tf.float32)])
    with pytest.raises(AssertionError, match="'untracked' resource"):
        tf.saved_model.save(module, tmp_path / "m")
    assert not (tmp_path / "m" / "saved_model.pb").exists()
    with pytest.raises(ValueError, match="Expected an object of type `Trackable`"):
        tf.saved_model.save(object(), tmp_path / "m")
    module = tf.Module()
    module.signatures = tf.Variable(1.0)
    with pytest.raises(ValueError, match="attribute named 'signatures'"):
        tf.saved_model.save(module, tmp_path / "m")
    with pytest.raises(AssertionError, match="inside a traced"):
        tf.function(lambda: tf.saved_model.save(tf.Module(), tmp_path / "m"))()


def test_all_that_cannot_be_saved_is_listed(tmp_path, monkeypatch):
    def gradient(function):
        def f(x):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = function(x)
            return tape.gradient(y, x)

        return tf.function(f, input_signature=[tf.TensorSpec([None], tf.float32)])

    module = tf.Module()
    module.f, module.g = gradient(lambda x: x * x), gradient(lambda x: x / (x + 1.0))
    nodes = [n for f in (module.f, module.g) for n in f.get_concrete_function().graph.nodes if n.type == "Reflow>VJP"]
    records = {n.attrs["forward"].name: n.attrs["forward"] for n in nodes}
    assert {"Mul", "RealDiv"} <= records.keys()
    for name in ("Mul", "RealDiv"):
        monkeypatch.setattr(records[name], "grad", None)
    with pytest.raises(errors.UnimplementedError) as raised:
        tf.saved_model.save(module, tmp_path / "m")
    assert "gradient of Mul" in str(raised.value) and "gradient of RealDiv" in str(raised.value)
    assert not (tmp_path / "m").exists()


def test_options(tmp_path):
    module = Scale()
    options = tf.saved_model.SaveOptions(function_aliases={"alias": module.shift}, experimental_skip_saver=True,
                                         extra_tags=["more"])
    tf.saved_model.save(module, tmp_path, options=options)
    meta = read(tmp_path)
    assert list(meta.meta_info_def.function_aliases.values()) == ["alias"]
    assert meta.meta_info_def.tags == ["serve", "more"] and not any(n.op == "SaveV2" for n in meta.graph_def.node)
    loaded = tf.saved_model.load(tmp_path, tags=["serve", "more"],
                                 options=tf.saved_model.LoadOptions(experimental_load_function_aliases=True))
    assert loaded.function_aliases["alias"](tf.constant([1.0, 1.0]))["plus"].numpy().tolist() == [1.5, 1.25]
    with pytest.raises(ValueError, match="incompatible argument to `tags`"):
        tf.saved_model.load(tmp_path, tags="serve")
    bare = tf.saved_model.load(tmp_path, options=tf.saved_model.LoadOptions(experimental_skip_checkpoint=True))
    with pytest.raises(errors.FailedPreconditionError):
        bare.factor.numpy()
    with pytest.raises(ValueError, match="experimental_io_device"):
        tf.saved_model.LoadOptions(experimental_io_device="/job:worker")


def test_function_aliases_name_the_function(tmp_path):
    module = Signed()
    tf.saved_model.save(module, tmp_path, options=tf.saved_model.SaveOptions(function_aliases={"alias": module.many}))
    loaded = tf.saved_model.load(tmp_path, options=tf.saved_model.LoadOptions(experimental_load_function_aliases=True))
    assert loaded.function_aliases["alias"] is loaded.many


def test_ops_of_libraries_that_are_not_named(tmp_path, monkeypatch):
    module = tf.Module()
    module.f = tf.function(lambda x: x + 1.0, input_signature=[tf.TensorSpec([])])
    from reflow.saved_model import saving

    def renamed(graph_def):
        graph_def.library.function[0].node_def[0].op = "Library>Add"

    monkeypatch.setattr(saving.debug, "strip", renamed)
    options = tf.saved_model.SaveOptions(namespace_whitelist=["Other"], experimental_debug_stripper=True)
    with pytest.raises(ValueError, match=r"non-whitelisted namespaces to SavedModel: \['Library>Add'\]"):
        tf.saved_model.save(module, str(tmp_path / "a"), options=options)
    options.namespace_whitelist = ["Library"]
    tf.saved_model.save(module, str(tmp_path / "a"), options=options)
    options.namespace_whitelist = None
    tf.saved_model.save(module, str(tmp_path / "b"), options=options)


def test_a_function_is_written_once(tmp_path):
    """A function that the signature calls, and one that is loaded and saved again,
    are no second function of the library."""
    from reflow.saved_model import saved_model_proto

    module = tf.Module()
    module.f = tf.function(lambda x: tf.sin(x) + 1.0, input_signature=[tf.TensorSpec([])])
    folders = [str(tmp_path / name) for name in "abc"]
    tf.saved_model.save(module, folders[0])
    for before, after in zip(folders, folders[1:], strict=False):
        tf.saved_model.save(tf.saved_model.load(before), after)
    for folder in folders:
        (meta,) = saved_model_proto.read(folder).meta_graphs
        functions = meta.graph_def.library.function
        assert sum(node.op == "Sin" for function in functions for node in function.node_def) == 1
        assert len(functions) <= 3
    assert tf.saved_model.load(folders[-1]).f(0.0).numpy() == 1.0


def test_components_of_distributed_variables_are_named(tmp_path):
    from reflow.saved_model import saved_model_proto

    strategy = tf.distribute.MirroredStrategy(["/cpu:0"])
    with strategy.scope():
        module = tf.Module()
        module.v = tf.Variable(1.0, name="v")
    tf.saved_model.save(
        module, str(tmp_path),
        options=tf.saved_model.SaveOptions(experimental_variable_policy="expand_distributed_variables"),
    )
    (meta,) = saved_model_proto.read(str(tmp_path)).meta_graphs
    (proto,) = [node.variable for node in meta.object_graph_def.nodes if node.WhichOneof("kind") == "variable"]
    assert proto.device.endswith("CPU:0")


class Wrapper(tf.Module):
    """Acts as the variable that it wraps."""

    _should_act_as_resource_variable = True

    def __init__(self, value):
        super().__init__()
        self._self_setattr_tracking = False
        self.inner = tf.Variable(value, name="inner")

    _shared_name = property(lambda self: self.inner._shared_name)

    def _serialize_to_tensors(self):
        return self.inner._serialize_to_tensors()

    def _export_to_saved_model_graph(self, object_map, tensor_map, options, **kwargs):
        return self.inner._export_to_saved_model_graph(object_map, tensor_map, options, **kwargs)


def test_an_object_that_hands_its_export_on_to_a_variable(tmp_path):
    module = tf.Module()
    module.v = Wrapper(15.0)
    module.f = tf.function(lambda: module.v.inner * 2.0, input_signature=[])
    tf.saved_model.save(module, str(tmp_path))
    loaded = tf.saved_model.load(str(tmp_path))
    assert isinstance(loaded.v, tf.Variable) and loaded.v.numpy() == 15.0 and loaded.f().numpy() == 30.0


def test_an_object_says_nothing_of_itself_but_its_kind(tmp_path):
    """Keras 2 takes a file in which it does for one of its own, of before TensorFlow 2.5."""

    class Told(tf.Module):
        _tracking_metadata = "{}"

    tf.saved_model.save(Told(), str(tmp_path))
    assert {node.user_object.metadata for node in read(tmp_path).object_graph_def.nodes} == {""}
