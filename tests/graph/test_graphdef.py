"""Graphs as GraphDefs and FunctionDefs and back, and what a bad GraphDef gets (rows 5 and 6 of the bad inputs)."""

import time

import numpy as np
import pytest
from tensorboard.compat.proto import function_pb2, graph_pb2, tensor_pb2

import reflow as tf
from reflow.core import errors
from reflow.graph import proto_values
from reflow.graph.export import Exporter, function_to_proto
from reflow.graph.import_ import MAX_DEPTH, Library
from reflow.ops import opdef, registry


def trace(function, *specs):
    return tf.function(function).get_concrete_function(*specs)


def library_of(concrete):
    """The FunctionDef of a trace and of all it calls, after a trip through bytes."""
    exporter = Exporter()
    name = exporter.name_of(concrete.graph)
    return name, function_pb2.FunctionDefLibrary.FromString(exporter.library().SerializeToString()).function


def reloaded(concrete):
    name, functions = library_of(concrete)
    return Library(functions).load([name])[name]


def run(graph, *values):
    return [np.asarray(v) for v in graph.run([np.asarray(v) if isinstance(v, np.generic) else v for v in values])]


def by_name(proto):
    return {n.name: n for n in proto.node_def}


# ---------------------------------------------------------------- attributes


@pytest.mark.parametrize(
    "dtype", ["float32", "float16", "bfloat16", "int4", "uint64", "complex64", "bool", "float8_e5m2"]
)
@pytest.mark.parametrize("shape", [(), (0, 3), (2, 3)])
def test_tensors_there_and_back(dtype, shape):
    kind = tf.as_dtype(dtype)
    array = np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(kind.np_dtype)
    back = proto_values.decode_tensor(proto_values.encode_tensor(array, kind))
    assert back.dtype == array.dtype and back.shape == shape and back.tobytes() == array.tobytes()
    assert not back.flags.writeable


def test_strings_and_short_lists():
    text = np.array([[b"a", b"\xff"]], object)
    proto = proto_values.encode_tensor(text)
    assert proto_values.decode_tensor(proto).tolist() == text.tolist()
    long = b"b" * 300
    proto.ClearField("string_val")
    proto.tensor_content = b"\x01\xac\x02a" + long  # as TensorFlow's C++ writes them: lengths first
    assert proto_values.decode_tensor(proto).tolist() == [[b"a", long]]
    for broken in (b"\x01\x01a", b"\x01\x01abc", b"\x01", b"\xff\xff\xff\x7f\x01a"):
        proto.tensor_content = broken
        with pytest.raises(ValueError, match="other bytes than those of 2 strings"):
            proto_values.decode_tensor(proto)
    proto = proto_values.encode_tensor(np.zeros([2, 3], np.float32))
    proto.ClearField("tensor_content")
    assert proto_values.decode_tensor(proto).tolist() == [[0, 0, 0], [0, 0, 0]]
    proto.float_val.extend([1, 2])
    assert proto_values.decode_tensor(proto).tolist() == [[1, 2, 2], [2, 2, 2]]
    half = proto_values.encode_tensor(np.zeros([2], np.float16))
    half.ClearField("tensor_content")
    half.half_val.append(np.array(1.5, np.float16).view(np.uint16).item())
    assert proto_values.decode_tensor(half).tolist() == [1.5, 1.5]


def test_a_constant_of_petabytes_is_refused_at_once():
    proto = proto_values.encode_tensor(np.ones([1], np.float32))
    for size in (2**29, 2**50):
        proto.tensor_shape.dim[0].size = size
        with pytest.raises(ValueError, match="more than the limit of 2147483647"):
            proto_values.decode_tensor(proto)
    proto.tensor_shape.dim[0].size = 2**28  # one value repeated costs nothing
    assert proto_values.decode_tensor(proto).strides == (0,)


@pytest.mark.parametrize("change", ["short", "many", "rank", "dtype"])
def test_tensors_that_lie(change):
    proto = proto_values.encode_tensor(np.zeros([3], np.float32))
    if change == "short":
        proto.tensor_content = proto.tensor_content[:-1]
    elif change == "many":
        proto.ClearField("tensor_content")
        proto.float_val.extend([1] * 4)
    elif change == "rank":
        for _ in range(300):
            proto.tensor_shape.dim.add(size=1)
    else:
        proto.dtype = 99
    with pytest.raises(ValueError):
        proto_values.decode_tensor(proto)


@pytest.mark.parametrize("form", ["content", "values"])
def test_variants_in_files(form):
    part = tensor_pb2.VariantTensorDataProto(type_name="RaggedTensorVariant")
    part.tensors.extend(map(proto_values.encode_tensor, (np.array([0, 1, 3]), np.array([5, 6, 7]))))
    proto = tensor_pb2.TensorProto(dtype=tf.variant.as_datatype_enum)
    proto.tensor_shape.dim.add(size=1)

    def put():
        text = part.SerializeToString()
        if form == "values":
            del proto.variant_val[:]
            proto.variant_val.append(part)
        else:
            proto.tensor_content = bytes([len(text)]) + text
        return proto

    (found,) = proto_values.decode_tensor(put())
    assert found.splits[0].tolist() == [0, 1, 3] and found.values.tolist() == [5, 6, 7]
    part.type_name = "tensorflow::DatasetVariant"
    with pytest.raises(ValueError, match="holds a tensorflow::DatasetVariant"):
        proto_values.decode_tensor(put())
    proto.tensor_shape.dim[0].size = 2
    with pytest.raises(ValueError, match="2 strings|but 1 values"):
        proto_values.decode_tensor(proto)
    proto.tensor_content, proto.tensor_shape.dim[0].size = b"\x01\xff", 1
    with pytest.raises(ValueError, match="cannot be read"):
        proto_values.decode_tensor(proto)


# ---------------------------------------------------------------- export


def test_a_gradient_becomes_ordinary_ops():
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])

    def step(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(tf.nn.relu(tf.matmul(x, v))))
        v.assign_sub(tape.gradient(loss, v))
        return loss

    concrete = trace(step, tf.TensorSpec([None, 2], tf.float32))
    assert any(n.type == "Reflow>VJP" for n in concrete.graph.nodes)
    proto = concrete.function_def
    known = set(opdef.names())
    assert {n.op for n in proto.node_def} <= known
    assert not any("Reflow" in n.op for n in proto.node_def)
    assert any(n.type == "Reflow>VJP" for n in concrete.graph.nodes), "the traced graph stays as it is"
    write = next(n for n in proto.node_def if n.op == "AssignSubVariableOp")
    read = next(n for n in proto.node_def if n.op == "ReadVariableOp")
    assert f"^{read.name}" in write.input
    assert dict(proto.control_ret) == {write.name: write.name}
    assert list(proto.signature.control_output) == [write.name]
    assert proto.signature.is_stateful
    handle = proto.signature.input_arg[1]
    assert handle.handle_data[0].shape.dim[1].size == 2


def test_reads_and_writes_keep_their_order():
    a, b = tf.Variable(1.0), tf.Variable(2.0)

    def f(x):
        first = a.read_value()
        a.assign_add(x)
        second = a.read_value()
        b.assign(first + second)
        a.assign(b * 2.0)
        return a.read_value()

    proto = trace(f, tf.TensorSpec([], tf.float32)).function_def
    nodes = by_name(proto)
    waits = {n.name: {i[1:] for i in n.input if i.startswith("^")} for n in proto.node_def}
    reads = [n.name for n in proto.node_def if n.op == "ReadVariableOp"]
    add = next(n.name for n in proto.node_def if n.op == "AssignAddVariableOp")
    assert waits[add] == {reads[0]}
    assert waits[reads[1]] == {add}
    handle = nodes[add].input[0]
    final = next(n.name for n in proto.node_def if n.op == "AssignVariableOp" and n.input[0] == handle)
    assert {add, reads[1]} <= waits[final]
    assert waits[reads[-1]] == {final}
    graph = reloaded(trace(f, tf.TensorSpec([], tf.float32)))
    assert run(graph, np.float32(5), a.handle._value, b.handle._value)[0] == 14.0  # (1 + 6) * 2


def test_calls_and_branches_count_as_what_they_do():
    v = tf.Variable(1.0)
    inner = tf.function(lambda x: v.assign_add(x))
    reader = tf.function(lambda: v * 2.0)

    def f(x):
        before = reader()
        inner(x)
        tf.cond(x > 0.0, lambda: v.assign(before), lambda: v.assign(x))
        return reader()

    proto = trace(f, tf.TensorSpec([], tf.float32)).function_def
    calls = [n for n in proto.node_def if n.op in ("StatefulPartitionedCall", "If")]
    waits = [{i[1:] for i in n.input if i.startswith("^")} for n in calls]
    assert [len(w) for w in waits] == [0, 1, 1, 1]
    assert waits[1] == {calls[0].name} and waits[2] == {calls[1].name} and waits[3] == {calls[2].name}
    assert set(proto.control_ret) == {calls[1].name, calls[2].name}


def test_what_cannot_be_exported_is_listed_in_one_error(monkeypatch):
    record = registry.get("Softplus")
    other = registry.get("Tanh")

    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.nn.softplus(x) * tf.tanh(x)
        return tape.gradient(y, x)

    monkeypatch.setattr(record, "grad_tensors", None)
    monkeypatch.setattr(other, "grad_tensors", None)
    concrete = trace(f, tf.TensorSpec([None], tf.float32))
    names = {n.attrs["forward"].name for n in concrete.graph.nodes if n.type == "Reflow>VJP"}
    if not {"Softplus", "Tanh"} <= names:
        pytest.skip("these gradients are no VJPs here")
    monkeypatch.setattr(record, "grad", None)
    monkeypatch.setattr(other, "grad", None)
    with pytest.raises(errors.UnimplementedError, match="2 node") as raised:
        function_to_proto(concrete.graph)
    assert "gradient of Softplus" in str(raised.value) and "gradient of Tanh" in str(raised.value)


def test_names_are_legal_and_unique():
    def f(x):
        with tf.name_scope("a"):
            y = tf.identity(x, name="Add")
        return tf.add(tf.identity(y, name="X"), 1.0, name="a/b")

    proto = trace(f, tf.TensorSpec([], tf.float32, name="X")).function_def
    names = [n.name for n in proto.node_def] + [a.name for a in proto.signature.input_arg]
    assert len({n.lower() for n in names}) == len(names)
    assert proto.signature.input_arg[0].name == "x"
    assert all(c.isalnum() or c in "_.\\/>-" for n in names for c in n)


def test_results_that_are_arguments_pass_an_identity():
    proto = trace(lambda x: (x, x), tf.TensorSpec([], tf.float32)).function_def
    assert [n.op for n in proto.node_def] == ["Identity", "Identity"]
    assert len(set(proto.ret.values())) == 2


def test_loops_get_tensorflows_counter():
    """TensorFlow's gradient of a loop takes its first two variables for a counter and a limit."""
    concrete = trace(
        lambda x: tf.while_loop(lambda y: y < 9.0, lambda y: [y * 2.0], [x])[0], tf.TensorSpec([], tf.float32)
    )
    name, functions = library_of(concrete)
    loop = next(n for f in functions if f.signature.name == name for n in f.node_def if "While" in n.op)
    assert [t for t in loop.attr["T"].list.type] == [3, 3, 1]
    assert run(reloaded(concrete), np.float32(1.5))[0] == 12.0


def test_private_attributes_stay_here():
    v = tf.Variable([1.0])
    proto = trace(lambda: v + 1.0).function_def
    read = next(n for n in proto.node_def if n.op == "ReadVariableOp")
    assert set(read.attr) == {"dtype", "_output_shapes"}
    assert read.attr["_output_shapes"].list.shape[0].dim[0].size == 1


def test_as_graph_def():
    with tf.Graph().as_default() as graph:
        x = tf.constant(2.0, name="x")
        z = tf.constant(3.0, name="z")
        with tf.control_dependencies([x, z]):  # x is an input already
            tf.add(x, x, name="y")
    proto = graph.as_graph_def()
    assert [(n.name, n.op, list(n.input)) for n in proto.node] == [
        ("x", "Const", []), ("z", "Const", []), ("y", "AddV2", ["x", "x", "^z"])]
    assert graph.get_operation_by_name("y").node_def == proto.node[2]


# ---------------------------------------------------------------- import


@pytest.mark.parametrize("function, args", [
    (lambda x: tf.concat([x, x[:, :1]], 1), [np.ones([2, 3], np.float32)]),
    (lambda x: tf.split(x, 3, axis=1)[1], [np.arange(6.0, dtype=np.float32).reshape(2, 3)]),
    (lambda x: tf.reshape(x, [tf.shape(x)[0], -1]), [np.ones([2, 3], np.float32)]),
    (lambda x: tf.cond(tf.reduce_sum(x) > 1.0, lambda: x * 2.0, lambda: x - 1.0), [np.ones([2, 3], np.float32)]),
    (
        lambda x: tf.switch_case(tf.shape(x)[0], [lambda: x, lambda: -x, lambda: x * x]),
        [np.full([2, 3], 3, np.float32)],
    ),
    (
        lambda x: tf.while_loop(lambda i, y: i < 4, lambda i, y: (i + 1, y * 2.0), (0, x))[1],
        [np.ones([2, 3], np.float32)],
    ),
])
def test_functions_there_and_back(function, args):
    concrete = trace(function, tf.TensorSpec([None, 3], tf.float32))
    graph = reloaded(concrete)
    want = concrete(*[tf.constant(a) for a in args]).numpy()
    got = run(graph, *args)[0]
    assert np.array_equal(want, got)
    assert graph.outputs[0].shape.rank == concrete.outputs[0].shape.rank


def chain(length: int):
    """x + 1 + 1 + …, written in the wrong order."""
    proto = function_pb2.FunctionDef()
    proto.signature.name = "chain"
    proto.signature.input_arg.add(name="x", type=1)
    proto.signature.output_arg.add(name="y", type=1)
    for i in reversed(range(length)):
        node = proto.node_def.add(name=f"n{i}", op="Identity", input=["x" if i == 0 else f"n{i - 1}:output:0"])
        node.attr["T"].type = 1
    proto.ret["y"] = f"n{length - 1}:output:0"
    return proto


def test_a_long_chain_in_any_order():
    start = time.monotonic()
    graph = Library([chain(10_000)]).load(["chain"])["chain"]
    assert len(graph.nodes) == 10_001
    assert run(graph, np.float32(3))[0] == 3
    assert time.monotonic() - start < 20


def test_control_edges_give_the_order():
    v = tf.Variable(1.0)
    proto = function_pb2.FunctionDef()
    proto.signature.name = "f"
    proto.signature.input_arg.add(name="v", type=20)
    proto.signature.output_arg.add(name="y", type=1)
    read = proto.node_def.add(name="read", op="ReadVariableOp", input=["v", "^write"])
    write = proto.node_def.add(name="write", op="AssignAddVariableOp", input=["v", "two:output:0"])
    two = proto.node_def.add(name="two", op="Const")
    unused = proto.node_def.add(name="unused", op="AssignAddVariableOp", input=["v", "two:output:0"])
    for node in (read, write, two, unused):
        node.attr["dtype"].type = 1
    two.attr["value"].tensor.CopyFrom(proto_values.encode_tensor(np.float32(2)))
    proto.ret["y"] = "read:value:0"
    graph = Library([proto]).load(["f"])["f"]
    assert [n.name for n in graph.nodes] == ["v", "two", "write", "read"]  # TensorFlow would not run `unused` either
    assert run(graph, v.handle._value)[0] == 3.0


def call_of(name: str, callee: str):
    proto = chain(1)
    proto.signature.name = name
    node = proto.node_def[0]
    node.op = "PartitionedCall"
    node.ClearField("attr")
    node.attr["Tin"].list.type.append(1)
    node.attr["Tout"].list.type.append(1)
    node.attr["f"].func.name = callee
    return proto


def test_functions_that_call_themselves():
    with pytest.raises(ValueError, match="cyclic dependency between functions: f -> f"):
        Library([call_of("f", "f")]).load(["f"])
    with pytest.raises(ValueError, match="f -> g -> h -> f"):
        Library([call_of("f", "g"), call_of("g", "h"), call_of("h", "f")]).load(["f"])
    with pytest.raises(ValueError, match="'g', called by 'f', is not in the library"):
        Library([call_of("f", "g")]).load(["f"])


def test_functions_nested_ten_thousand_deep():
    functions = [call_of(f"f{i}", f"f{i + 1}") for i in range(10_000)] + [call_of("f10000", "chain"), chain(1)]
    with pytest.raises(ValueError, match=f"nested 10002 deep; at most {MAX_DEPTH}"):
        Library(functions).load(["f0"])
    few = [call_of(f"f{i}", f"f{i + 1}") for i in range(MAX_DEPTH - 2)] + [
        call_of(f"f{MAX_DEPTH - 2}", "chain"), chain(1)
    ]
    graph = Library(few).load(["f0"])["f0"]
    assert run(graph, np.float32(3))[0] == 3


def test_a_function_by_its_name_as_op():
    """TensorFlow 1 calls a function by using its name as the op."""
    caller = chain(1)
    caller.signature.name = "caller"
    caller.node_def[0].op = "chain"
    caller.node_def[0].ClearField("attr")
    caller.ret["y"] = "n0:y:0"
    assert run(Library([caller, chain(2)]).load(["caller"])["caller"], np.float32(3))[0] == 3


def graph_def(*nodes):
    proto = graph_pb2.GraphDef()
    for name, op, *inputs in nodes:
        node = proto.node.add(name=name, op=op, input=inputs)
        if op == "Const":
            node.attr["dtype"].type = 1
            node.attr["value"].tensor.CopyFrom(proto_values.encode_tensor(np.float32(1)))
        elif op in ("AddV2", "Identity"):
            node.attr["T"].type = 1
    return proto


def test_unknown_ops_are_listed_at_once():
    proto = graph_def(("a", "Const"), ("b", "NoSuchOp", "a"), ("c", "AlsoNoOp", "b"), ("d", "NoSuchOp"),
                      ("e", "Reflow>VJP", "a"))
    with pytest.raises(errors.NotFoundError) as raised:
        tf.import_graph_def(proto)
    for part in ("'NoSuchOp' (b, d)", "'AlsoNoOp' (c)", "'Reflow>VJP' (e)"):
        assert part in str(raised.value)


@pytest.mark.parametrize("nodes, message", [
    ([("a", "AddV2", "b", "b"), ("b", "AddV2", "a", "a")], "cycle through a, b"),
    ([("a", "Identity", "a")], "cycle through a"),
    ([("a", "Const"), ("b", "Identity", "a", "^c"), ("c", "Identity", "b")], "cycle through b, c"),
    ([("a", "Identity", "nowhere")], "'a': Unknown input node 'nowhere'"),
    ([("a", "Const"), ("b", "Identity", "a:7")], "Node 'b' .*Connecting to invalid output 7 of source node a"),
    ([("a", "Const"), ("b", "AddV2", "a")], "Node 'b' .*has 1 inputs, expected 2"),
    ([("a", "Const"), ("a", "Const")], "Node 'a' is not unique"),
])
def test_broken_graphs(nodes, message):
    with pytest.raises(ValueError, match=message):
        tf.import_graph_def(graph_def(*nodes))


@pytest.mark.parametrize("change, message", [
    (lambda n: n.attr["T"].CopyFrom(proto_values.AttrValue(type=3)), "Node 'b'"),
    (lambda n: n.attr["T"].CopyFrom(proto_values.AttrValue(s=b"x")), "attribute 'T'"),
    (lambda n: n.attr["T"].CopyFrom(proto_values.AttrValue(type=1234)), "attribute 'T'"),
    (lambda n: n.attr["T"].CopyFrom(proto_values.AttrValue(placeholder="T")), "attribute 'T'"),
    (lambda n: n.attr["surprise"].CopyFrom(proto_values.AttrValue(i=1)), "attr 'surprise' not in Op"),
])
def test_broken_attributes(change, message):
    proto = graph_def(("a", "Const"), ("b", "Identity", "a"))
    change(proto.node[1])
    with pytest.raises(ValueError, match=message):
        tf.import_graph_def(proto)


def test_import_graph_def():
    with tf.Graph().as_default() as graph:
        x = tf.constant(2.0, name="x")
        tf.multiply(x, 3.0, name="y")
        proto = graph.as_graph_def()
        one, op = tf.import_graph_def(proto, return_elements=["y:0", "y"])
        assert one.name == "import/y:0" and op is one.op
        mapped, = tf.import_graph_def(proto, input_map={"x:0": tf.constant(5.0)}, return_elements=["y:0"], name="other")
        assert mapped.name == "other/y:0" and mapped.op.inputs[0].op.name != "other/x"
        with pytest.raises(ValueError, match="not found in graph_def: .z:0"):
            tf.import_graph_def(proto, input_map={"z:0": x})
        with pytest.raises(ValueError, match="return node 'q' not found"):
            tf.import_graph_def(proto, return_elements=["q"])
        with pytest.raises(TypeError, match="must be a GraphDef"):
            tf.import_graph_def("graph")


@pytest.mark.parametrize("make", [
    lambda shape: tf.constant(1.0, shape=shape),
    lambda shape: tf.compat.v1.constant(1.0, shape=shape),
    lambda shape: tf.ones(shape),
])
def test_constants_that_repeat_one_element(make):
    """They take the memory of one, in the graph and in files."""
    with tf.Graph().as_default() as graph:
        repeated, written_out = make([3]).op.node_def.attr["value"].tensor, tf.constant([1.0] * 3).op.node_def
        assert list(repeated.float_val) == [1] and not repeated.tensor_content
        assert len(written_out.attr["value"].tensor.tensor_content) == 12
    with graph.as_default(), tf.compat.v1.Session() as session:
        assert session.run(graph.get_operations()[0].outputs[0]).tolist() == [1, 1, 1]


def test_a_large_constant_costs_no_memory():
    with tf.Graph().as_default() as graph:
        large = tf.compat.v1.constant(True, tf.bool, [1 << 30])
        assert large.shape == (1 << 30,) and graph.as_graph_def().ByteSize() < 1000
