"""`tf.saved_model.load`: gradients, unsafe ops, bad files, variables that are missing."""

import subprocess
import sys

import numpy as np
import pytest

import reflow as tf
from reflow.core import errors
from reflow.ops import opdef, registry
from reflow.saved_model import saved_model_proto
from tests.saved_model.models import all_nodes, edit, read
from tools.golden import saved_model as golden


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


@pytest.mark.parametrize("change", [
    _no_child, _no_capture, _wrong_capture, _no_function, _no_constant, _other_signature, _reserved_name,
    _other_variable,
])
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
    empty = tf.saved_model.load(tmp_path)  # as TensorFlow 1 might write it
    assert empty.variables == [] and empty.signatures == {}


@pytest.mark.parametrize("cut", range(0, 100, 7))
def test_a_cut_file_never_crashes(model, cut):
    path = model / "saved_model.pb"
    content = path.read_bytes()
    path.write_bytes(content[: len(content) * cut // 100])
    with pytest.raises((OSError, ValueError, NotImplementedError, errors.OpError)):
        tf.saved_model.load(model)


class Doubling(tf.Module):
    """A variable and one whose values replicas sum; a function that reads, and one that writes."""

    def __init__(self):
        super().__init__()
        self.weight = tf.Variable(2.0, name="weight")
        self.seen = tf.Variable(
            0, synchronization=tf.VariableSynchronization.ON_READ, aggregation=tf.VariableAggregation.SUM
        )

    @tf.function(input_signature=[tf.TensorSpec([])])
    def product(self, x):
        return self.weight * x

    @tf.function(input_signature=[])
    def count(self):
        return self.seen.assign_add(1)


@pytest.mark.parametrize("traced", [False, True])
def test_variables_of_a_strategy_in_whose_scope_a_model_is_loaded(tmp_path, traced):
    tf.saved_model.save(Doubling(), tmp_path)
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    with strategy.scope():
        loaded = tf.saved_model.load(tmp_path)
    kinds = tf.__internal__.distribute
    assert isinstance(loaded.weight, kinds.MirroredVariable) and isinstance(loaded.seen, kinds.SyncOnReadVariable)
    assert [copy.name for copy in loaded.weight.values] == ["weight:0", "weight/replica_1:0"]
    assert float(loaded.product(3.0)) == 6.0

    def step(x):
        with tf.GradientTape() as tape:
            result = loaded.product(x)
        loaded.count()
        loaded.weight.assign_add(tape.gradient(result, loaded.weight))
        return result

    inputs = strategy.experimental_distribute_values_from_function(lambda context: tf.constant(3.0))
    results = strategy.run(tf.function(step) if traced else step, (inputs,))
    assert [float(r) for r in strategy.experimental_local_results(results)] == [6.0, 6.0]
    assert [float(copy) for copy in loaded.weight.values] == [5.0, 5.0] and int(loaded.seen) == 2
    loaded.weight.assign(7.0)
    assert float(loaded.product(1.0)) == 7.0 and [float(copy) for copy in loaded.weight.values] == [7.0, 7.0]
    tf.saved_model.save(loaded, tmp_path / "again")
    again = tf.saved_model.load(tmp_path / "again")
    assert float(again.product(1.0)) == 7.0 and not hasattr(again.weight, "values")


def test_creators_of_variables_are_asked(tmp_path):
    tf.saved_model.save(Doubling(), tmp_path)
    names = []

    def creator(next_creator, **kwargs):
        names.append((kwargs["name"], kwargs["shape"], kwargs["dtype"], kwargs["trainable"]))
        return next_creator(**kwargs)

    with tf.variable_creator_scope(creator):
        loaded = tf.saved_model.load(tmp_path)
    assert (
        names == [("weight", (), tf.float32, True), ("Variable", (), tf.int32, False)]
        and float(loaded.product(2.0)) == 4.0
    )


def test_a_model_of_this_process_may_do_what_its_program_does(tmp_path):
    """As the tutorials' audio model, which reads the file that it is asked about."""
    (tmp_path / "words.txt").write_text("hello")
    module = tf.Module()
    module.read = tf.function(tf.io.read_file, input_signature=[tf.TensorSpec([], tf.string)])
    folder = tmp_path / "model"
    tf.saved_model.save(module, folder)
    assert tf.saved_model.load(folder).read(str(tmp_path / "words.txt")) == b"hello"
    code = f"import reflow as tf; tf.saved_model.load({str(folder)!r})"
    elsewhere = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "PermissionDeniedError" in elsewhere.stderr and "ReadFile" in elsewhere.stderr
    file = folder / "saved_model.pb"
    file.write_bytes(file.read_bytes().replace(b"words", b"Words") + b"\x18\x01")  # a field more: another file
    with pytest.raises(tf.errors.PermissionDeniedError, match="ReadFile"):
        tf.saved_model.load(folder)
