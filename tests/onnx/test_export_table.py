"""The table of conversions to ONNX."""

import pytest

from reflow.onnx import export_table
from reflow.ops.registry import REGISTRY


def test_every_name_is_an_op():
    assert [name for name in export_table.exportable_ops() if name not in REGISTRY] == []


def test_an_op_has_one_conversion():
    assert export_table.conversion("Conv2D") is not None and export_table.conversion("DecodeJpeg") is None
    with pytest.raises(ValueError, match="Relu has two conversions"):
        export_table.exports("Relu")(lambda: None)
