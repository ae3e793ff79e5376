"""Serialized messages whose maps are in C++'s order."""

from tensorboard.compat.proto import function_pb2

from reflow.saved_model import deterministic


def entry(number: int, key: bytes, value: bytes) -> bytes:
    return bytes([number << 3 | 2, len(key) + len(value)]) + key + value


def test_entries_are_in_the_order_of_texts_and_numbers():
    function = function_pb2.FunctionDef()
    for name in ("y_1", "y", "x"):
        function.ret[name] = name
    for number in (300, 2, 1):
        function.resource_arg_unique_id[number] = 5
    texts = [entry(4, b"\x0a" + bytes([len(t)]) + t, b"\x12" + bytes([len(t)]) + t) for t in (b"x", b"y", b"y_1")]
    numbers = [entry(8, b"\x08" + key, b"\x10\x05") for key in (b"\x01", b"\x02", b"\xac\x02")]
    assert bytes(deterministic.serialize(function)) == b"".join(texts + numbers)


def test_maps_inside_of_maps_and_lists_are_sorted():
    library = function_pb2.FunctionDefLibrary()
    node = library.function.add().node_def.add()
    node.attr["T"].type = 1
    for name in ("b", "b_2"):
        node.attr["Tf"].list.func.add(name="f").attr[name].i = 1
        node.attr["Tf"].list.func[0].attr[name].i = 2
    found = bytes(deterministic.serialize(library))
    assert (
        found.index(b"\x0a\x01T\x12") < found.index(b"\x0a\x02Tf")
        and found.index(b"\x0a\x01b\x12") < found.index(b"\x0a\x03b_2")
    )
    assert function_pb2.FunctionDefLibrary.FromString(found) == library


def test_messages_without_maps_stay():
    graph_argument = function_pb2.GradientDef(function_name="f", gradient_func="g")
    assert deterministic.serialize(graph_argument) == graph_argument.SerializeToString()
