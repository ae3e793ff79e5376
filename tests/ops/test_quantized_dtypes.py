"""Quantized tensors stay quantized in ops that only move their elements: eagerly, on a tape, in functions, in programs
of XLA.

Their arrays are those of plain integers. In each call TensorFlow's result has the dtype of its input, if it has a
kernel for it.
"""

import numpy as np
import pytest

import reflow as tf
from reflow.ops import registry
from reflow.ops.record import _QUANTIZED

PLAIN = {"qint8": "int8", "quint8": "uint8", "qint16": "int16", "quint16": "uint16", "qint32": "int32"}
CALLS = {
    "identity": tf.identity,
    "identity_n": lambda x: tf.identity_n([x, x])[1],
    "reshape": lambda x: tf.reshape(x, [-1]),
    "concat": lambda x: tf.concat([x, x], 0),
    "concat, version 1": lambda x: tf.raw_ops.Concat(concat_dim=0, values=[x, x]),
    "stack": lambda x: tf.stack([x, x]),
    "unstack": lambda x: tf.unstack(x)[1],
    "split": lambda x: tf.split(x, 2)[1],
    "gather": lambda x: tf.gather(x, [0, 1]),
    "gather_nd": lambda x: tf.gather_nd(x, [[0, 1]]),
    "slice": lambda x: tf.slice(x, [0, 0], [1, 2]),
    "x[0]": lambda x: x[0],
    "expand_dims": lambda x: tf.expand_dims(x, 0),
    "pad": lambda x: tf.pad(x, [[1, 1], [0, 0]]),
    "fill": lambda x: tf.fill([2], x[0, 0]),
    "stop_gradient": tf.stop_gradient,
    "dynamic_stitch": lambda x: tf.dynamic_stitch([[0], [1]], [x[:1], x[1:]]),
    "cast": lambda x: tf.cast(tf.ones([2, 3]), x.dtype),
    "cond": lambda x: tf.cond(tf.constant(True), lambda: x, lambda: tf.concat([x[1:], x[:1]], 0)),
    "TensorArray": lambda x: tf.TensorArray(x.dtype, 2).unstack(x).stack(),
}


#: their one tensor of that dtype is in a list among others, or in one that may be empty
EXCEPTIONS = ("StatelessWhile", "While", "For", "SparseConcat")


def quantized(dtype: str) -> tf.Tensor:
    return tf.bitcast(tf.constant([[1, 2, 3], [4, 5, 6]], PLAIN[dtype]), dtype)


@pytest.mark.parametrize("name", CALLS)
def test_the_dtype_is_kept(name):
    for dtype in PLAIN:
        x = quantized(dtype)
        assert CALLS[name](x).dtype.name == dtype
        with tf.GradientTape() as tape:
            tape.watch(tf.constant(1.0))
            assert CALLS[name](x).dtype.name == dtype
    for compiled in (None, True):
        function = tf.function(CALLS[name], jit_compile=compiled)
        assert [function(quantized("qint8")).dtype.name for _ in range(2)] == ["qint8", "qint8"]


def test_values_are_those_of_plain_integers():
    x, plain = quantized("quint8"), tf.constant([[1, 2, 3], [4, 5, 6]], tf.uint8)
    assert tf.bitcast(tf.concat([x, x], 1), tf.uint8).numpy().tolist() == tf.concat([plain, plain], 1).numpy().tolist()
    assert tf.cast(x, tf.float32).numpy().tolist() == [[1, 2, 3], [4, 5, 6]]


def test_elements_of_datasets_and_variables():
    x = quantized("qint32")
    assert next(iter(tf.data.Dataset.from_tensors(x).map(tf.identity))).dtype is tf.qint32
    assert tf.Variable(x).read_value().dtype is tf.qint32


def test_every_record_knows_where_to_look():
    """An output that may be quantized has the dtype of an input, or that of an attribute."""
    for op in registry.REGISTRY.values():
        definition = op.definition
        attrs = [definition.attrs.get(arg.type_attr or arg.type_list_attr or "") for arg in definition.outputs]
        may_be = {a.name for a in attrs if a is not None and (a.allowed is None or _QUANTIZED & set(a.allowed))}
        if op.dtype_input is not None and not op.has_lists:
            assert definition.inputs[op.dtype_input].type_attr in may_be, op
        assert (
            (op.dtype_input is not None or bool(op.dtype_attrs or op.dtype_attr)) == bool(may_be)
            or op.name.startswith("Reflow>")
            or op.name in EXCEPTIONS
        )


def test_elements_of_quantized_arrays():
    for dtype in (tf.quint8, tf.qint8, tf.qint32):
        array = np.array([1, 2]).astype(dtype.as_numpy_dtype)
        parts = [tf.constant(element) for element in array]
        assert [(part.dtype, part.shape) for part in parts] == [(dtype, [])] * 2
        assert tf.cast(tf.stack(parts), tf.int32).numpy().tolist() == [1, 2]
