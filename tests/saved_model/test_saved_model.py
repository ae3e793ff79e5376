"""SavedModels: what is written, the way back, TensorFlow's own files, and what bad ones get (rows 5 to 7 of bad inputs)."""

import collections
import os
import pathlib
import shutil

import numpy as np
import pytest

import reflow as tf
from reflow.core import errors
from reflow.ops import opdef, registry
from reflow.saved_model import saved_model_proto, structures
from reflow.train import bundle
from tools.golden import saved_model as golden


class Scale(tf.Module):
    """A variable, a captured constant, functions with and without an input signature."""

    def __init__(self):
        super().__init__()
        self.factor = tf.Variable(3.0, name="factor")
        self.offset = tf.constant([0.5, 0.25])

    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32, name="x")])
    def __call__(self, x):
        return x * self.factor

    @tf.function(input_signature=[tf.TensorSpec([2], tf.float32)])
    def shift(self, value):
        return {"plus": value + self.offset, "minus": value - self.offset}

    @tf.function
    def mix(self, pair, weights=(1.0, 2.0), *, negate=False):
        total = pair[0] * weights[0] + pair[1]["b"] * weights[1]
        return [-total if negate else total, None]


def read(folder):
    return saved_model_proto.read(folder).meta_graphs[0]


def all_nodes(meta):
    return list(meta.graph_def.node) + [n for f in meta.graph_def.library.function for n in f.node_def]


# ---------------------------------------------------------------- golden files


@pytest.mark.parametrize("writer", ["tensorflow", "reflow"])
def test_golden_models_run_with_equal_numbers(writer):
    """The MLP with its training functions, conditions and loops, as written by either library."""
    folder = golden.GOLDEN / writer
    loaded = tf.saved_model.load(folder / "model")
    numbers = golden.exercise(tf, loaded) | golden.exercise_signatures(tf, loaded)
    wrong = {k: d for k, d in golden.differences(folder, numbers).items() if d > golden.TOLERANCE}
    assert not wrong


def test_tensorflows_checkpoint_of_the_same_module():
    model = golden.build(tf)
    for variable in model.variables:
        variable.assign(tf.zeros_like(variable))
    tf.train.Checkpoint(model=model).read(golden.GOLDEN / "tensorflow" / "checkpoint" / "ckpt").assert_consumed()
    wanted = golden.build(tf).variables
    assert all(np.array_equal(a.numpy(), b.numpy()) for a, b in zip(model.variables, wanted, strict=True))


def test_golden_files_are_small():
    assert sum(f.stat().st_size for f in golden.GOLDEN.rglob("*") if f.is_file()) < 300_000


def test_gradients_of_a_loaded_function():
    loaded = tf.saved_model.load(golden.GOLDEN / "tensorflow" / "model")
    model = golden.build(tf)
    x = tf.constant(golden.data()[0][0])
    grads = []
    for m in (loaded, model):
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(m.logits(x) ** 2)
        grads.append(tape.gradient(y, list(m.weights)))
    for a, b in zip(*grads, strict=True):
        np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-5, atol=1e-5)


# ---------------------------------------------------------------- what is written


@pytest.fixture(scope="module")
def trainer(tmp_path_factory):
    folder = tmp_path_factory.mktemp("trainer")
    model = golden.build(tf)
    golden.save(tf, model, folder)
    return model, folder / "model"


def test_only_ops_that_tensorflow_knows(trainer):
    known = set(opdef.names())
    for node in all_nodes(read(trainer[1])):
        assert node.op in known and not node.op.startswith("Reflow>")
        attrs = opdef.lookup(node.op).attrs
        assert all(name in attrs or name in ("_output_shapes", "_gradient_op_type") for name in node.attr)
        for name, attr in attrs.items():
            assert name in node.attr or attr.default is not opdef.MISSING, f"{node.name} lacks {name}"


def test_training_functions_have_control_edges(trainer):
    functions = {f.signature.name: f for f in read(trainer[1]).graph_def.library.function}
    adam = next(f for n, f in functions.items() if "train_adam" in n)
    writes = [n for n in adam.node_def if n.op.startswith("Assign")]
    assert len(writes) == 1 + 3 * 4
    assert set(adam.control_ret) == {n.name for n in writes}
    for function in functions.values():
        check_order(function)


def check_order(function):
    """Each read waits for the last write before it, each write for that and for all reads in between."""
    last_write, reads = {}, collections.defaultdict(set)
    names = {n.name for n in function.node_def}
    for node in function.node_def:
        waits = {i[1:] for i in node.input if i.startswith("^")}
        assert waits <= names
        is_write = node.op.startswith("Assign")
        if not is_write and node.op != "ReadVariableOp":
            continue
        handle = node.input[0]
        assert handle not in last_write or last_write[handle] in waits
        if is_write:
            assert reads.pop(handle, set()) <= waits
            last_write[handle] = node.name
        else:
            reads[handle].add(node.name)


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


# ---------------------------------------------------------------- there and back


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


def test_structures(tmp_path):
    root = tf.Module()
    shared = tf.Variable([1, 2], name="shared")
    root.layers = [tf.Variable("text"), {"deep": shared}, (shared, tf.Variable(True))]
    root.table = {"a": [shared], "b": tf.Variable(np.float16(1.5), trainable=False)}
    tf.saved_model.save(root, tmp_path)
    loaded = tf.saved_model.load(tmp_path)
    assert loaded.layers[0].numpy() == b"text" and loaded.layers[2][1].numpy()
    assert loaded.layers[1]["deep"] is loaded.table["a"][0] is loaded.layers[2][0]
    assert loaded.table["b"].dtype is tf.float16 and not loaded.table["b"].trainable
    restored = tf.Module()
    restored.table = {"a": [tf.Variable([0, 0])]}
    tf.train.Checkpoint(restored).restore(tmp_path).expect_partial()
    assert restored.table["a"][0].numpy().tolist() == [1, 2]


def test_signatures(tmp_path):
    module = Scale()
    spec = tf.TensorSpec([None], tf.float32)
    concrete = module.mix.get_concrete_function((spec, {"b": spec}))
    tf.saved_model.save(module, tmp_path, signatures={"call": module.__call__, "shift": module.shift})
    loaded = tf.saved_model.load(tmp_path)
    call = loaded.signatures["call"]
    assert call(x=tf.constant([1.0]))["output_0"].numpy().tolist() == [3.0]
    assert call([1.0])["output_0"].numpy().tolist() == [3.0]
    assert sorted(loaded.signatures["shift"](value=[1.0, 1.0])) == ["minus", "plus"]
    assert call.structured_input_signature == ((), {"x": tf.TensorSpec([None], tf.float32, "x")})
    with pytest.raises(TypeError, match="missing: ..x.., unexpected: ..y.."):
        call(y=[1.0])
    with pytest.raises(TypeError, match="int32|float"):
        call(x=tf.constant([1]))
    with pytest.raises(ValueError, match="non-Tensor value None"):
        tf.saved_model.save(module, tmp_path, signatures=concrete)
    with pytest.raises(ValueError, match="Expected a TensorFlow function"):
        tf.saved_model.save(module, tmp_path, signatures=module.mix)
    with pytest.raises(KeyError, match="reserved"):
        tf.saved_model.save(module, tmp_path, signatures={"__saved_model_init_op": module.__call__})


def test_the_only_function_is_served(tmp_path):
    module = tf.Module()
    module.f = tf.function(lambda x: x + 1.0, input_signature=[tf.TensorSpec([], tf.float32)])
    tf.saved_model.save(module, tmp_path)
    assert list(tf.saved_model.load(tmp_path).signatures) == ["serving_default"]
    module.g = tf.function(lambda x: x, input_signature=[tf.TensorSpec([], tf.float32)])
    tf.saved_model.save(module, tmp_path)
    assert list(tf.saved_model.load(tmp_path).signatures) == []


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
    with pytest.raises(NotImplementedError, match="save_debug_info"):
        tf.saved_model.SaveOptions(save_debug_info=True)
    with pytest.raises(NotImplementedError, match="experimental_io_device"):
        tf.saved_model.LoadOptions(experimental_io_device="/job:localhost")


def test_structured_values():
    pair = collections.namedtuple("Pair", "left right")
    value = {"a": [1, 2.5, True, None, "text"], "b": pair((), tf.TensorShape([None])),
             "c": (tf.int64, tf.TensorSpec([2], tf.bool, "n"))}
    back = structures.decode(structures.encode(value))
    assert back["a"] == value["a"] and back["c"] == value["c"] and back["b"].right == tf.TensorShape([None])
    assert type(back["b"]).__name__ == "Pair" and type(back["a"][2]) is bool
    with pytest.raises(structures.NotEncodableError):
        structures.encode(object())


# ---------------------------------------------------------------- bad files


@pytest.fixture
def model(tmp_path):
    folder = tmp_path / "model"
    tf.saved_model.save(Scale(), folder)
    return folder


def edit(folder, change):
    proto = saved_model_proto.read(folder)
    change(proto.meta_graphs[0])
    (folder / "saved_model.pb").write_bytes(proto.SerializeToString())


def function_with(meta, part):
    return next(f for f in meta.graph_def.library.function if part in f.signature.name)


@pytest.mark.parametrize("op", ["ReadFile", "WriteFile", "PyFunc"])
def test_unsafe_ops_are_refused(model, op):
    def add(meta):
        inner = meta.graph_def.library.function.add()
        inner.CopyFrom(function_with(meta, "shift"))
        inner.signature.name = "inner"
        inner.node_def[-1].op = op
        node = function_with(meta, "shift").node_def.add(name="call", op="StatefulPartitionedCall")
        node.attr["f"].func.name = "inner"

    edit(model, add)
    with pytest.raises(errors.PermissionDeniedError, match=f"'{op}' \\(inner/"):
        tf.saved_model.load(model)


def test_unsafe_ops_are_allowed_by_an_option(model, monkeypatch):
    def add(meta):
        function = function_with(meta, "__call__")
        name = function.node_def.add(name="name", op="Const")
        name.attr["dtype"].type = 7
        name.attr["value"].tensor.dtype = 7
        name.attr["value"].tensor.tensor_shape.SetInParent()
        name.attr["value"].tensor.string_val.append(b"/no/such/file")
        function.node_def.add(name="read", op="ReadFile", input=["name:output:0"])
        function.control_ret["read"] = "read"
        function.signature.control_output.append("read")

    edit(model, add)
    with pytest.raises(errors.PermissionDeniedError):
        tf.saved_model.load(model)
    seen = []

    def kernel(xp, filename):
        seen.append(filename.item())
        return np.array(b"", object)

    record = registry.Op(opdef.lookup("ReadFile"), kernel, host=True, effect=True, shape=lambda f: [()])
    monkeypatch.setitem(registry.REGISTRY, "ReadFile", record)
    loaded = tf.saved_model.load(model, options=tf.saved_model.LoadOptions(experimental_allow_unsafe_ops=True))
    assert loaded([1.0]).numpy().tolist() == [3.0]
    assert seen and set(seen) == {b"/no/such/file"}


def test_the_savers_own_ops_do_no_harm(model):
    """Every SavedModel of TensorFlow holds SaveV2 and RestoreV2, in functions that nothing but a session calls."""
    assert any(n.op == "SaveV2" for n in read(model).graph_def.node)
    assert any(n.op == "SaveV2" for n in all_nodes(read(golden.GOLDEN / "tensorflow" / "model")))
    tf.saved_model.load(model)


@pytest.mark.parametrize("name", ["../secret", "/etc/passwd", "a/../../secret", "", "..", "link", "x\0y"])
def test_assets_outside_the_model(model, name):
    os.makedirs(model / "assets")
    (model.parent / "secret").write_text("secret")
    os.symlink(model.parent / "secret", model / "assets" / "link")

    def add(meta):
        meta.asset_file_def.add(filename=name)
        node = meta.object_graph_def.nodes.add()
        node.asset.asset_file_def_index = 0
        meta.object_graph_def.nodes[0].children.add(node_id=len(meta.object_graph_def.nodes) - 1, local_name="words")

    edit(model, add)
    with pytest.raises(ValueError, match="outside its own folder"):
        tf.saved_model.load(model)


def test_assets(tmp_path):
    (tmp_path / "words.txt").write_text("a b")
    module = tf.Module()
    module.words = tf.saved_model.Asset(tmp_path / "words.txt")
    tf.saved_model.save(module, tmp_path / "model")
    (tmp_path / "words.txt").unlink()
    shutil.move(tmp_path / "model", tmp_path / "moved")
    path = tf.saved_model.load(tmp_path / "moved").words.asset_path.numpy().decode()
    assert path == str(tmp_path / "moved" / "assets" / "words.txt") and pathlib.Path(path).read_text() == "a b"


def _no_child(meta):
    meta.object_graph_def.nodes[0].children.add(node_id=99, local_name="x")


def _no_capture(meta):
    next(iter(meta.object_graph_def.concrete_functions.values())).bound_inputs.append(99)


def _wrong_capture(meta):
    function = next(f for f in meta.object_graph_def.concrete_functions.values() if f.bound_inputs)
    function.bound_inputs[0] = 0


def _no_function(meta):
    del meta.graph_def.library.function[:]


def _no_constant(meta):
    next(n for n in meta.object_graph_def.nodes if n.WhichOneof("kind") == "constant").constant.operation = "elsewhere"


def _other_signature(meta):
    for function in meta.object_graph_def.concrete_functions.values():
        function.canonicalized_input_signature.ClearField("kind")


def _reserved_name(meta):
    meta.object_graph_def.nodes[0].children[0].local_name = "__class__"


def _other_variable(meta):
    next(n for n in meta.object_graph_def.nodes if n.WhichOneof("kind") == "variable").variable.shape.dim.add(size=7)


@pytest.mark.parametrize("change", [_no_child, _no_capture, _wrong_capture, _no_function, _no_constant, _other_signature,
                                    _reserved_name, _other_variable])
def test_corrupt_object_graphs(model, change):
    edit(model, change)
    with pytest.raises(ValueError):
        tf.saved_model.load(model)


def test_a_variable_that_the_checkpoint_lacks(model):
    def add(meta):
        node = meta.object_graph_def.nodes.add()
        node.variable.dtype, node.variable.name = 1, "extra"
        meta.object_graph_def.nodes[0].children.add(node_id=len(meta.object_graph_def.nodes) - 1, local_name="extra")

    edit(model, add)
    with pytest.raises(AssertionError, match="extra"):
        tf.saved_model.load(model)
    loaded = tf.saved_model.load(model, options=tf.saved_model.LoadOptions(allow_partial_checkpoint=True))
    assert loaded.factor.numpy() == 3.0


def test_files_that_are_no_models(tmp_path):
    with pytest.raises(OSError, match="does not exist"):
        tf.saved_model.load(tmp_path)
    (tmp_path / "saved_model.pb").write_bytes(b"\xff\xff\xff")
    with pytest.raises(OSError, match="Cannot parse"):
        tf.saved_model.load(tmp_path)
    proto = saved_model_proto.SavedModel(saved_model_schema_version=1)
    proto.meta_graphs.add()
    (tmp_path / "saved_model.pb").write_bytes(proto.SerializeToString())
    with pytest.raises(NotImplementedError, match="TensorFlow 1"):
        tf.saved_model.load(tmp_path)


@pytest.mark.parametrize("cut", range(0, 100, 7))
def test_a_cut_file_never_crashes(model, cut):
    path = model / "saved_model.pb"
    content = path.read_bytes()
    path.write_bytes(content[: len(content) * cut // 100])
    with pytest.raises((OSError, ValueError, NotImplementedError, errors.OpError)):
        tf.saved_model.load(model)


# --- functions with input signatures -----------------------------------------------------------------------------------


class Signed(tf.Module):
    """Parameters that are not in the order of their names, defaults, and any number of arguments."""

    @tf.function(input_signature=[tf.TensorSpec([]), tf.TensorSpec([2])])
    def named(self, zeta, alpha, by=2.0, mask=None):
        return {"z": zeta * by, "a": alpha + 1.0}

    @tf.function(input_signature=[tf.TensorSpec([]), tf.TensorSpec([2])])
    def many(self, *xs):
        return xs[0] * xs[1]


def test_signatures_take_their_arguments_in_the_order_of_names(tmp_path):
    """Readers flatten keywords sorted by name: in another order TensorFlow would swap the tensors."""
    module = Signed()
    tf.saved_model.save(module, tmp_path, {"named": module.named, "many": module.many})
    saved = read(tmp_path).object_graph_def.concrete_functions
    wrapper = next(f for name, f in saved.items() if "signature_wrapper_named" in name)
    keywords = structures.decode(wrapper.canonicalized_input_signature)[1]
    assert [(k, v.name, v.shape.as_list()) for k, v in keywords.items()] == [("alpha", "alpha", [2]), ("zeta", "zeta", [])]
    loaded = tf.saved_model.load(tmp_path)
    named, many = loaded.signatures["named"], loaded.signatures["many"]
    assert [t.op.name for t in named.inputs] == ["alpha", "zeta"]
    out = named(zeta=tf.constant(3.0), alpha=tf.constant([1.0, 2.0]))
    assert out["z"].numpy() == 6.0 and out["a"].numpy().tolist() == [2.0, 3.0]
    assert list(many.structured_input_signature[1]) == ["xs_0", "xs_1"]
    assert many(xs_0=tf.constant(2.0), xs_1=tf.constant([1.0, 2.0]))["output_0"].numpy().tolist() == [2.0, 4.0]


def test_loaded_functions_keep_their_input_signature(tmp_path):
    tf.saved_model.save(Signed(), tmp_path)
    loaded = tf.saved_model.load(tmp_path)
    assert loaded.named.input_signature == (tf.TensorSpec([]), tf.TensorSpec([2]))
    assert loaded.named(np.array(1.5), [1, 2])["z"].numpy() == 3.0  # cast, as before saving
    with pytest.raises(TypeError, match=r"Can not cast 3.0 to Literal\[2.0\]"):
        loaded.named(1.0, [1.0, 2.0], by=3.0)
    assert loaded.many(2.0, np.array([1.0, 2.0])).numpy().tolist() == [2.0, 4.0]


def test_function_aliases_name_the_function(tmp_path):
    module = Signed()
    tf.saved_model.save(module, tmp_path, options=tf.saved_model.SaveOptions(function_aliases={"alias": module.many}))
    loaded = tf.saved_model.load(tmp_path, options=tf.saved_model.LoadOptions(experimental_load_function_aliases=True))
    assert loaded.function_aliases["alias"] is loaded.many


def test_functions_list_their_traces_for_a_saved_model():
    function = tf.function(lambda x: x + 1.0)
    function(tf.constant(1.0))
    assert function._trackable_children("checkpoint") == {}
    assert list(function._trackable_children("savedmodel")) == ["trace_0"]
