"""Reference types and tables of dtypes."""

import reflow as tf
from reflow.drop_in.python.framework import dtypes


def test_a_reference_type_stands_for_its_values():
    ref = dtypes.float32_ref
    assert ref.base_dtype is tf.float32 and ref._is_ref_dtype and not tf.float32._is_ref_dtype
    assert ref.as_datatype_enum == 101 and tf.as_dtype("float_ref") is ref is tf.as_dtype(101)
    assert ref != tf.float32 and tf.float32.is_compatible_with(ref) and not ref.is_compatible_with(tf.float32)
    assert (ref.max, ref.limits, repr(ref)) == (tf.float32.max, (0, 1), "tf.float32_ref")


def test_tables():
    assert dtypes._TYPE_TO_STRING[1] == "float32" and dtypes._TYPE_TO_STRING[101] == "float32_ref"
    assert tf.as_dtype(dtypes._np_qint8) is tf.qint8 and tf.as_dtype(dtypes._np_int4) is tf.as_dtype("int4")
    assert tf.resource not in dtypes.TF_VALUE_DTYPES and len(dtypes.TF_VALUE_DTYPES) == 31
