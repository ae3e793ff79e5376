"""The dtype in which arguments meet."""

import pytest

import reflow as tf
from reflow.api.numpy.types import settings
from reflow.drop_in.python.framework.flexible_dtypes import result_type


def test_dtypes_and_whether_they_are_weak(monkeypatch):
    monkeypatch.setattr(settings, "mode", "all")
    assert result_type(1, 2) == (tf.int32, True) and result_type(1, 2.0) == (tf.float32, True)
    assert result_type(tf.int8, 1) == (tf.int8, False) and result_type(tf.int64, tf.float32) == (tf.float32, False)


def test_modes_that_promote_nothing(monkeypatch):
    monkeypatch.setattr(settings, "mode", "off")
    with pytest.raises(
        TypeError, match=r"PromoMode.OFF, implicit dtype promotion between \(<dtype: 'int32'>, weak=True\)"
    ):
        result_type(1, 2)
