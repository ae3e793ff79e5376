"""Classes that stand for dtypes."""

import reflow as tf


def test_each_stands_for_its_dtype():
    kinds = tf.security.fuzzing.py.annotation_types
    assert kinds.Float32.underlying_dtype is tf.float32 and kinds.QUInt8.underlying_dtype is tf.quint8
    assert kinds.Half.underlying_dtype is tf.float16 and kinds.Bool.underlying_dtype is tf.bool
    assert issubclass(kinds.Variant, kinds.DTypeAnnotation) and kinds.Int32.__name__ == "Int32"
