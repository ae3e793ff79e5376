"""SavedModels made to harm whoever loads them: cycles, endless loops, terabytes (rows 5 to 7 and 12 of the bad inputs).

Loading ends soon, with an error where the file is impossible, and with limits that the user can raise.
"""

import numpy as np
import pytest

import reflow as tf
from reflow.core import errors
from reflow.graph import proto_values
from reflow.saved_model import saved_model_proto

FLOAT, STRING, BOOL = 1, 7, 10


class Holder(tf.Module):
    def __init__(self):
        super().__init__()
        self.pair = (tf.Variable(1.0), tf.Variable(2.0))
        self.items = [tf.Variable(3.0)]
        self.table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a"], [1]), -1)

    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
    def __call__(self, x):
        return x * self.pair[0]


@pytest.fixture
def model(tmp_path):
    tf.saved_model.save(Holder(), tmp_path / "model")
    return tmp_path / "model"


def edited(folder, change):
    saved = saved_model_proto.read(folder)
    change(saved.meta_graphs[0])
    (folder / "saved_model.pb").write_bytes(saved.SerializeToString())
    return folder


def objects(meta, kind: str) -> list[int]:
    return [
        i for i, n in enumerate(meta.object_graph_def.nodes) if n.user_object.identifier == f"trackable_{kind}_wrapper"
    ]


def add_object(meta, kind: str, holder: int) -> int:
    """One more list or tuple, inside another."""
    nodes = meta.object_graph_def.nodes
    nodes.add().user_object.identifier = f"trackable_{kind}_wrapper"
    hold(meta, holder, len(nodes) - 1)
    return len(nodes) - 1


def hold(meta, holder: int, held: int):
    children = meta.object_graph_def.nodes[holder].children
    children.add(node_id=held, local_name=str(len(children)))


def function(meta, part: str):
    return next(f for f in meta.graph_def.library.function if part in f.signature.name)


def add_node(function, name: str, op: str, inputs=(), **attrs):
    node = function.node_def.add(name=name, op=op, input=list(inputs))
    for key, value in attrs.items():
        node.attr[key].CopyFrom(value)
    function.control_ret[name] = name
    function.signature.control_output.append(name)
    return node


def kind(*enums):
    return proto_values.AttrValue(type=enums[0])


def kinds(*enums):
    value = proto_values.AttrValue()
    value.list.type.extend(enums)
    return value


def called(name: str):
    value = proto_values.AttrValue()
    value.func.name = name
    return value


def constant(array):
    return proto_values.AttrValue(tensor=proto_values.encode_tensor(array))


def new_function(meta, name: str, result: int = FLOAT):
    proto = meta.graph_def.library.function.add()
    proto.signature.name = name
    proto.signature.input_arg.add(name="x", type=FLOAT)
    proto.signature.output_arg.add(name="y", type=result)
    return proto


# --- objects that hold each other


@pytest.mark.parametrize("length", [1, 2, 5])
def test_tuples_that_hold_each_other(model, length):
    def change(meta):
        first = last = objects(meta, "tuple")[0]
        for _ in range(length - 1):
            last = add_object(meta, "tuple", last)
        hold(meta, last, first)

    with pytest.raises(ValueError, match="corrupt: tuples hold themselves or each other"):
        tf.saved_model.load(edited(model, change))


@pytest.mark.parametrize("what", ["tuple", "list"])
def test_containers_nested_twenty_thousand_deep(model, what):
    def change(meta):
        last = objects(meta, what)[0]
        for _ in range(20_000):
            last = add_object(meta, what, last)

    assert tf.saved_model.load(edited(model, change))([2.0]).numpy() == [2.0]


@pytest.mark.parametrize("what", ["tuple", "list"])
def test_containers_that_hold_the_next_one_twice(model, what):
    """2**60 elements if anybody counts them."""

    def change(meta):
        last = objects(meta, what)[0]
        for _ in range(60):
            before, last = last, add_object(meta, what, last)
            hold(meta, before, last)

    assert callable(tf.saved_model.load(edited(model, change)))


def test_a_list_and_a_root_that_hold_themselves(model):
    """Objects may be cyclic, as in TensorFlow."""

    def change(meta):
        (first, *_) = objects(meta, "list")
        hold(meta, first, first)
        meta.object_graph_def.nodes[0].children.add(node_id=0, local_name="me")

    loaded = tf.saved_model.load(edited(model, change))
    assert loaded.me is loaded and loaded.items[-1] is loaded.items


# --- functions that do not end


def add_endless_loop(meta, part: str):
    condition, body = new_function(meta, "forever", BOOL), new_function(meta, "again")
    node = condition.node_def.add(name="k", op="Const")
    node.attr["dtype"].type = BOOL
    node.attr["value"].CopyFrom(constant(np.array(True)))
    condition.ret["y"] = "k:output:0"
    body.node_def.add(name="k", op="Neg", input=["x"]).attr["T"].type = FLOAT
    body.ret["y"] = "k:y:0"
    caller = function(meta, part)
    add_node(caller, "one", "Const", dtype=kind(FLOAT), value=constant(np.float32(1)))
    add_node(caller, "loop", "While", ["one:output:0"], T=kinds(FLOAT), cond=called("forever"), body=called("again"))


def test_a_loop_in_a_function_that_loading_runs(model):
    edited(model, lambda meta: add_endless_loop(meta, "initializer"))
    with pytest.raises(
        errors.PermissionDeniedError, match=r"may never end: \['While'\].*experimental_allow_unsafe_ops"
    ):
        tf.saved_model.load(model)


def test_an_infinite_dataset_in_a_function_that_loading_runs(model):
    def change(meta):
        caller = function(meta, "initializer")
        for name, value in (("zero", 0), ("many", 2**62), ("one", 1)):
            add_node(caller, name, "Const", dtype=kind(9), value=constant(np.int64(value)))
        shapes = proto_values.AttrValue()
        shapes.list.shape.add()
        facts = {"output_types": kinds(9), "output_shapes": shapes}
        add_node(caller, "range", "RangeDataset", ["zero:output:0", "many:output:0", "one:output:0"], **facts)
        add_node(caller, "last", "SkipDataset", ["range:handle:0", "many:output:0"], **facts)
        add_node(caller, "wait", "DatasetToSingleElement", ["last:handle:0"], **facts)

    with pytest.raises(errors.PermissionDeniedError, match="may never end: .*'DatasetToSingleElement'"):
        tf.saved_model.load(edited(model, change))


def test_a_loop_in_another_function_runs_when_it_is_called(model):
    edited(model, lambda meta: add_endless_loop(meta, "__call__"))
    assert callable(tf.saved_model.load(model))


def test_calls_that_stand_for_more_nodes_than_there_are_atoms(model, monkeypatch):
    def change(meta):
        for i in range(60):
            proto, value = new_function(meta, f"laugh{i}"), "x"
            for j in range(2):
                node = proto.node_def.add(name=f"n{j}", op="PartitionedCall" if i < 59 else "Neg", input=[value])
                if i < 59:
                    node.attr["f"].func.name = f"laugh{i + 1}"
                    node.attr["Tin"].CopyFrom(kinds(FLOAT))
                    node.attr["Tout"].CopyFrom(kinds(FLOAT))
                else:
                    node.attr["T"].type = FLOAT
                value = f"n{j}:output:0" if i < 59 else f"n{j}:y:0"
            proto.ret["y"] = value
        caller = function(meta, "__call__")
        argument = caller.signature.input_arg[0].name
        add_node(
            caller, "laugh", "PartitionedCall", [argument], f=called("laugh0"), Tin=kinds(FLOAT), Tout=kinds(FLOAT)
        )

    edited(model, change)
    with pytest.raises(ValueError, match="stands for 16777214 nodes .* REFLOW_MAX_GRAPH_NODES"):
        tf.saved_model.load(model)
    monkeypatch.setenv("REFLOW_MAX_GRAPH_NODES", str(2**63))
    tf.saved_model.load(model)


# --- terabytes


def add_constants(meta, dtype: int, shape: list[int], count: int, **values):
    for i in range(count):
        tensor = proto_values.AttrValue().tensor
        tensor.dtype = dtype
        for size in shape:
            tensor.tensor_shape.dim.add(size=size)
        for field, given in values.items():
            getattr(tensor, field).extend(given)
        held = proto_values.AttrValue(tensor=tensor)
        add_node(function(meta, "__call__"), f"big{i}", "Const", dtype=kind(dtype), value=held)


@pytest.mark.parametrize("shape, text", [
    ([2**40], r"REFLOW_MAX_CONSTANT_BYTES"), ([2**40, 2**40], "REFLOW_MAX_CONSTANT_BYTES"), ([-5], "unknown dimension"),
    ([2**62, 2**62, 4], "REFLOW_MAX_CONSTANT_BYTES"),
])
def test_a_constant_that_declares_terabytes(model, shape, text):
    edited(model, lambda meta: add_constants(meta, FLOAT, shape, 1, float_val=[1.0]))
    with pytest.raises(ValueError, match=text):
        tf.saved_model.load(model)


@pytest.mark.parametrize("dtype, values", [(FLOAT, {"float_val": [1.0, 2.0]}), (STRING, {"string_val": [b"a", b"b"]})])
def test_constants_that_repeat_their_last_value(model, dtype, values):
    """Each is within the limit, all together are not."""
    edited(model, lambda meta: add_constants(meta, dtype, [2**27], 200, **values))
    with pytest.raises(ValueError, match="The constants of the graph repeat values up to .* REFLOW_MAX_CONSTANT_BYTES"):
        tf.saved_model.load(model)


def test_the_limit_can_be_set(model, monkeypatch):
    edited(model, lambda meta: add_constants(meta, FLOAT, [1000], 2, float_val=[1.0, 2.0]))
    tf.saved_model.load(model)
    monkeypatch.setenv("REFLOW_MAX_CONSTANT_BYTES", "7999")
    with pytest.raises(ValueError, match="8000 bytes, more than the limit of 7999"):
        tf.saved_model.load(model)


def number(value: int):
    return proto_values.AttrValue(i=value)


@pytest.mark.parametrize("op, inputs, attrs", [
    ("Pad", [np.ones(1, np.int32), np.array([[2**40, 2**40]])], {"T": kind(3), "Tpaddings": kind(9)}),
    ("OneHot", [np.array([1], np.int32), np.int32(2**31 - 1), np.int32(1), np.int32(0)],
     {"T": kind(3), "TI": kind(3), "axis": number(-1)}),
    ("Range", [np.int64(0), np.int64(2**62), np.int64(1)], {"Tidx": kind(9)}),
    ("Fill", [np.array([2**40]), np.int64(1)], {"T": kind(9), "index_type": kind(9)}),
    ("Tile", [np.ones(3, np.int32), np.array([2**60])], {"T": kind(3), "Tmultiples": kind(9)}),
    ("BroadcastTo", [np.ones(1, np.int32), np.array([2**60])], {"T": kind(3), "Tidx": kind(9)}),
])
def test_known_values_are_not_computed_if_they_are_large(model, op, inputs, attrs):
    def change(meta):
        caller = function(meta, "__call__")
        for i, value in enumerate(map(np.asarray, inputs)):
            enum = proto_values.encode_tensor(value).dtype
            add_node(caller, f"in{i}", "Const", dtype=kind(enum), value=constant(value))
        add_node(caller, "evil", op, [f"in{i}:output:0" for i in range(len(inputs))], **attrs)

    assert callable(tf.saved_model.load(edited(model, change)))


@pytest.mark.parametrize("op, attr, inputs", [("Split", "num_split", ["axis", "x"]), ("Unpack", "num", ["x"])])
def test_a_number_of_outputs(model, op, attr, inputs):
    def change(meta):
        caller = function(meta, "__call__")
        add_node(caller, "axis", "Const", dtype=kind(3), value=constant(np.int32(0)))
        add_node(caller, "x", "Const", dtype=kind(FLOAT), value=constant(np.ones(4, np.float32)))
        references = [f"{name}:output:0" for name in inputs]
        add_node(caller, "evil", op, references, T=kind(FLOAT), **{attr: number(2**30)})

    with pytest.raises(ValueError, match=f"'{op}' would have {2**30} outputs"):
        tf.saved_model.load(edited(model, change))


def test_structures_that_lack_what_a_signature_has(model):
    def change(meta):
        for node in meta.object_graph_def.nodes:
            if node.WhichOneof("kind") == "function":
                del node.function.function_spec.fullargspec.named_tuple_value.values[3:]

    with pytest.raises(ValueError, match="corrupt"):
        tf.saved_model.load(edited(model, change))
