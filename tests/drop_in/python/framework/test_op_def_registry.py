"""OpDefs and ApiDefs by the names of ops."""

import pytest

from reflow.core import errors
from reflow.drop_in.python.framework import op_def_registry
from reflow.drop_in.python.framework.op_def_registry import ApiDefMap


def test_get():
    assert [a.name for a in op_def_registry.get("AddV2").input_arg] == ["x", "y"]
    assert op_def_registry.get("NoSuchOp") is None


def test_definitions_by_name():
    definitions = ApiDefMap()
    assert "MatMul" in definitions.op_names() and not any(name.startswith("Reflow>") for name in definitions.op_names())
    assert [attr.name for attr in definitions.get_op_def("MatMul").attr][:2] == ["transpose_a", "transpose_b"]
    with pytest.raises(ValueError, match="No op_def found for op name Nope."):
        definitions.get_op_def("Nope")
    api = definitions.get_api_def("MatMul")
    assert [endpoint.name for endpoint in api.endpoint] == ["MatMul"] and list(api.arg_order) == ["a", "b"]
    assert api.attr[0].HasField("default_value") and not api.attr[0].default_value.b


def test_changed_definitions():
    definitions = ApiDefMap()
    definitions.put_api_def(
        'op { graph_op_name: "AddV2" in_arg { name: "x" rename_to: "left" } endpoint { name: "plus" } }'
    )
    api = definitions.get_api_def("AddV2")
    assert [arg.rename_to for arg in api.in_arg] == ["left", "y"] and [e.name for e in api.endpoint] == ["plus"]
    with pytest.raises(errors.FailedPreconditionError, match="cannot be called after"):
        definitions.put_api_def("")
