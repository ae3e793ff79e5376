"""Attributes that an OpDef does not allow are refused by `tf.raw_ops`, by new nodes and by the importer of graphs.

The texts are TensorFlow 2.21's.
"""

import pytest
from tensorboard.compat.proto import graph_pb2

import reflow as tf
from reflow.core import errors

X = [[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]
IMAGE = [[[[1.0], [2.0]], [[3.0], [4.0]]]]


def pool(**changed):
    facts = {"ksize": [1, 2, 2, 1], "strides": [1, 1, 1, 1], "padding": "SAME"}
    return lambda: tf.raw_ops.AvgPool(value=tf.constant(IMAGE), **(facts | changed))


CASES = {
    "type": (
        lambda: tf.raw_ops.ArgMax(input=X, dimension=0, output_type=tf.string),
        "Value for attr 'output_type' of string is not in the list of allowed values: int16, uint16, int32, int64",
        TypeError,
        (
            "Value passed to parameter 'output_type' has DataType string not in list of allowed values: "
            "int16, uint16, int32, int64"
        ),
    ),
    "type of an input": (
        lambda: tf.raw_ops.ExpandDims(input=X, axis=tf.constant(1, tf.uint8)),
        "Value for attr 'Tdim' of uint8 is not in the list of allowed values: int32, int64",
        TypeError,
        "Value passed to parameter 'dim' has DataType uint8 not in list of allowed values: int32, int64",
    ),
    "type of inputs and output": (
        lambda: tf.raw_ops.RandomUniformInt(
            shape=[2], minval=tf.constant(0, tf.uint8), maxval=tf.constant(3, tf.uint8)
        ),
        "Value for attr 'Tout' of uint8 is not in the list of allowed values: int32, int64",
        TypeError,
        "Value passed to parameter 'minval' has DataType uint8 not in list of allowed values: int32, int64",
    ),
    "minimum": (
        lambda: tf.raw_ops.Split(axis=0, value=X, num_split=0),
        "Value for attr 'num_split' of 0 must be at least minimum 1",
        ValueError,
        "Attr 'num_split' of 'Split' Op passed 0 less than minimum 1.",
    ),
    "length": (
        pool(ksize=[1, 2]),
        "Length for attr 'ksize' of 2 must be at least minimum 4",
        ValueError,
        "Attr 'ksize' of 'AvgPool' Op passed list of length 2 less than minimum 4.",
    ),
    "length of a list of types": (
        lambda: tf.raw_ops.IdentityN(input=[]),
        "Length for attr 'T' of 0 must be at least minimum 1",
        ValueError,
        "Attr 'T' of 'IdentityN' Op passed list of length 0 less than minimum 1.",
    ),
    "length of a list of tensors": (
        lambda: tf.raw_ops.Pack(values=[]),
        "Value for attr 'N' of 0 must be at least minimum 1",
        ValueError,
        "List argument 'values' to 'Pack' Op with length 0 shorter than minimum length 1.",
    ),
    "word": (
        pool(padding="X"),
        "Value for attr 'padding' of \"X\" is not in the list of allowed values: \"SAME\", \"VALID\"",
        ValueError,
        "Attr 'padding' of 'AvgPool' Op passed string 'X' not in: \"SAME\", \"VALID\".",
    ),
    "more than 32 bits": (
        pool(ksize=[1, 2**40, 2, 1]),
        "Attr ksize has value 1099511627776 out of range for an int32",
        ValueError,
        "Attr ksize has value 1099511627776 out of range for an int32",
    ),
    "number of outputs": (
        lambda: tf.raw_ops.DynamicPartition(data=X, partitions=[0, 1], num_partitions=2**62),
        "Number of outputs is too big: 4611686018427387904",
        ValueError,
        "'DynamicPartition' would have 4611686018427387904 outputs",
    ),
    "dtypes of a list": (
        lambda: tf.raw_ops.AddN(inputs=[tf.constant(X), tf.ones([2, 4], tf.int64)]),
        "cannot compute AddN as input #1(zero-based) was expected to be a float tensor but is a int64 tensor",
        TypeError,
        "Tensors in list passed to 'inputs' of 'AddN' Op have types [float32, int64] that don't all match.",
    ),
    "dtypes of two inputs": (
        lambda: tf.raw_ops.MatMul(a=tf.constant(X), b=tf.ones([4, 2], tf.float64)),
        "cannot compute MatMul as input #1(zero-based) was expected to be a float tensor but is a double tensor",
        TypeError,
        "Input 'b' of 'MatMul' Op has type float64 that does not match type float32 of argument 'a'.",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_call(name):
    call, text, _, _ = CASES[name]
    with pytest.raises(errors.InvalidArgumentError) as caught:
        call()
    assert text in str(caught.value) and "[Op:" in str(caught.value)


@pytest.mark.parametrize("name", CASES)
def test_a_node(name):
    call, _, kind, text = CASES[name]
    with pytest.raises(kind) as caught:
        tf.function(call, autograph=False).get_concrete_function()
    assert text in str(caught.value)


def test_an_imported_node():
    proto = graph_pb2.GraphDef()
    node = proto.node.add(name="x", op="Placeholder")
    node.attr["dtype"].type = 1
    node = proto.node.add(name="pool", op="AvgPool", input=["x"])
    node.attr["T"].type = 1
    node.attr["padding"].s = b"SAME"
    node.attr["ksize"].list.i.extend([1, 2])
    node.attr["strides"].list.i.extend([1, 1, 1, 1])
    with pytest.raises(
        ValueError, match="Node 'pool' .*'ksize' of 'AvgPool' Op passed list of length 2 less than minimum 4"
    ):
        tf.import_graph_def(proto)


def test_numbers_of_64_bits_are_fine():
    assert tf.raw_ops.StringToHashBucketFast(input=["a"], num_buckets=2**40).shape == (1,)
    tf.raw_ops.RandomUniform(shape=[2], dtype=tf.float32, seed=2**40)
