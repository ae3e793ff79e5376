"""Any op by its name. The messages are TensorFlow's."""

import json

from reflow.drop_in.python.framework import op_def_library
from tests.drop_in.processes import check

#: arguments that ops refuse, and a part of the message
REFUSED = [
    ("Simple", {"a": "Bad"}, "Expected int32 passed to parameter 'a' of op 'Simple', got 'Bad' of type 'str' instead"),
    ("Simple", {}, 'No argument for input a found in name: "Simple"'),
    ("Simple", {"a": 6, "extra1": 3, "extra2": 4}, "Simple got unexpected keyword arguments: extra1, extra2"),
    ("Polymorphic", {"a": 1, "T": "int32"}, "Should not specify value for inferred attr 'T' for Polymorphic"),
    ("OutT", {}, "No argument found for attr T for OutT"),
    ("OutT", {"T": "bad"}, "Expected DataType for argument 'T' not 'bad'"),
    ("Binary", {"a": "left", "b": 12}, "Expected string passed to parameter 'b' of op 'Binary', got 12 of type 'int'"),
    ("OutTypeList", {"T": "int32"}, "Expected list for attr T, obtained str instead"),
    ("TypeListTwice", {"a": ["f", True], "b": ["b", 6]}, "has type list of string, int32 that does not match type list "
     "string, bool of argument 'a'"),
    ("AttrShape", {"a": "ABC"}, "Error converting 'ABC' (arg name = a) to a TensorShape"),
    ("NIntsIn", {"a": 3}, "Expected list for 'a' argument to 'NIntsIn' Op, not 3"),
    ("NIntsIn", {"a": ["foo", "bar"]}, "have types [string, string] that do not match expected type int32"),
    ("NIntsIn", {"a": [99]}, "List argument 'a' to 'NIntsIn' Op with length 1 shorter than minimum length 2"),
    ("NInTwice", {"a": [1, 2, 3], "b": ["short"]}, "with length 1 must match length 3 of argument 'a'"),
    ("NPolymorphicIn", {"a": ["f", 1]}, "that don't all match"),
    ("NInPolymorphicTwice", {"a": [1, 2], "b": ["one", "two"]}, "that do not match type int32 inferred from earlier"),
    ("FuncAttr", {"f": 3}, "Don't know how to convert 3 to a func for argument f"),
    ("NoSuchOp", {}, "Unrecognized Op name NoSuchOp"),
]


def test_eager_ops():
    assert op_def_library.apply_op("AddV2", x=1.0, y=2.0).numpy() == 3.0


def test_refused_arguments():
    """In a process of its own, where TensorFlow's ops for tests are registered."""
    said = check("""
        import json, sys
        import tensorflow as tf
        from tensorflow.python.framework import op_def_library, test_ops
        found = []
        with tf.Graph().as_default():
            for op, arguments, _ in json.loads(sys.argv[1]):
                try:
                    found.append(str(op_def_library.apply_op(op, **arguments)))
                except (TypeError, ValueError, RuntimeError) as error:
                    found.append(str(error))
        print(json.dumps(found))
    """, json.dumps(REFUSED))
    for (op, _, text), whole in zip(REFUSED, json.loads(said), strict=True):
        assert text in whole, (op, whole)


def test_nodes_and_their_constants():
    said = check("""
        import tensorflow as tf
        from tensorflow.python.framework import op_def_library, test_ops
        apply_op = op_def_library.apply_op
        with tf.Graph().as_default():
            for tensor in (apply_op("Simple", a=3), apply_op("Simple", a=3, name="named")):
                print(tensor.op.name, *tensor.op.node_def.input)
            print(apply_op("Attr", a=12).get_attr("a"), apply_op("AttrDefault", a=None).get_attr("a"))
            print(apply_op("NPolymorphicIn", a=[1, 2]).get_attr("N"))
            one, text = tf.constant(1), tf.constant("x")
            for op, arguments in (("Simple", {"a": text}), ("Binary", {"a": one, "b": text})):
                try:
                    apply_op(op, **arguments)
                except TypeError as error:
                    print(error)
    """)
    assert said.splitlines() == [
        "Simple Simple/a", "named named/a", "12 b'banana'", "2",
        "Input 'a' of 'Simple' Op has type string that does not match expected type of int32.",
        "Input 'b' of 'Binary' Op has type string that does not match type int32 of argument 'a'.",
    ]
