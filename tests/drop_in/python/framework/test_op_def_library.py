"""Any op by its name. The messages are TensorFlow's."""

import pytest

import reflow as tf
from reflow.drop_in.python.framework import op_def_library, test_ops

apply_op = op_def_library.apply_op


def test_eager_ops():
    assert op_def_library.apply_op("AddV2", x=1.0, y=2.0).numpy() == 3.0


@pytest.fixture
def graph():
    assert test_ops  # registers the ops
    with tf.Graph().as_default() as graph:
        yield graph


def test_nodes_and_their_constants(graph):
    one, two = apply_op("Simple", a=3), apply_op("Simple", a=3, name="named")
    assert [(t.op.name, list(t.op.node_def.input)) for t in (one, two)] == [
        ("Simple", ["Simple/a"]), ("named", ["named/a"]),
    ]
    assert apply_op("Attr", a=12).get_attr("a") == 12
    assert apply_op("AttrDefault", a=None).get_attr("a") == b"banana"
    assert apply_op("NPolymorphicIn", a=[1, 2]).get_attr("N") == 2


@pytest.mark.parametrize(("op", "arguments", "message"), [
    ("Simple", {"a": "Bad"}, "Expected int32 passed to parameter 'a' of op 'Simple', got 'Bad' of type 'str' instead"),
    ("Simple", {}, "No argument for input a found in name: \"Simple\""),
    ("Simple", {"a": 6, "extra1": 3, "extra2": 4}, "Simple got unexpected keyword arguments: extra1, extra2"),
    ("Polymorphic", {"a": 1, "T": tf.int32}, "Should not specify value for inferred attr 'T' for Polymorphic"),
    ("OutT", {}, "No argument found for attr T for OutT"),
    ("OutT", {"T": "bad"}, "Expected DataType for argument 'T' not 'bad'"),
    ("Binary", {"a": "left", "b": 12}, "Expected string passed to parameter 'b' of op 'Binary', got 12 of type 'int'"),
    ("OutTypeList", {"T": tf.int32}, "Expected list for attr T, obtained DType instead"),
    ("TypeListTwice", {"a": ["f", True], "b": ["b", 6]},
     "Input 'b' of 'TypeListTwice' Op has type list of string, int32 that does not match type list string, bool of "
     "argument 'a'"),
    ("AttrShape", {"a": "ABC"}, "Error converting 'ABC'"),
    ("NIntsIn", {"a": 3}, "Expected list for 'a' argument to 'NIntsIn' Op, not 3"),
    ("NIntsIn", {"a": ["foo", "bar"]},
     r"Tensors in list passed to 'a' of 'NIntsIn' Op have types \[string, string\] that do not match expected type"),
    ("NPolymorphicIn", {"a": ["f", 1]}, "that don't all match"),
    ("NInPolymorphicTwice", {"a": [1, 2], "b": ["one", "two"]}, "that do not match type int32 inferred from earlier"),
    ("FuncAttr", {"f": 3}, "Don't know how to convert 3 to a func for argument f"),
])
def test_refused_arguments(graph, op, arguments, message):
    with pytest.raises(TypeError, match=message):
        apply_op(op, **arguments)


@pytest.mark.parametrize(("op", "arguments", "message"), [
    ("NIntsIn", {"a": [99]}, "List argument 'a' to 'NIntsIn' Op with length 1 shorter than minimum length 2"),
    ("NInTwice", {"a": [1, 2, 3], "b": ["too short"]}, "with length 1 must match length 3 of argument 'a'"),
])
def test_refused_lengths(graph, op, arguments, message):
    with pytest.raises(ValueError, match=message):
        apply_op(op, **arguments)


def test_tensors_of_another_dtype(graph):
    one, text = tf.constant(1), tf.constant("x")
    with pytest.raises(TypeError, match="Input 'a' of 'Simple' Op has type string that does not match expected type"):
        apply_op("Simple", a=text)
    with pytest.raises(TypeError, match="Input 'b' of 'Binary' Op has type string that does not match type int32 of"):
        apply_op("Binary", a=one, b=text)


def test_no_such_op():
    with pytest.raises(RuntimeError, match="Unrecognized Op name NoSuchOp"):
        apply_op("NoSuchOp")
