"""The table of conversions."""

import pytest

from reflow.onnx import table


def test_it_holds_the_operators_of_each_domain():
    assert {"Conv", "LSTM", "Loop", "QLinearConv"} <= set(table.supported_operators())
    assert "LabelEncoder" in table.supported_operators(table.CLASSIC)
    assert table.conversion("ai.onnx", "Conv") is table.conversion("", "Conv")
    assert table.conversion("", "Nonsense") is None


def test_an_operator_has_one_conversion():
    with pytest.raises(ValueError, match="Conv has two conversions"):
        table.operator("Conv")(lambda node: None)


def test_operators_that_draw_numbers_are_known():
    assert table.is_random("", "RandomNormal") and not table.is_random("", "Conv")
