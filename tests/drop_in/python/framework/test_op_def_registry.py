"""OpDef protos by the names of ops."""

from reflow.drop_in.python.framework import op_def_registry


def test_get():
    assert [a.name for a in op_def_registry.get("AddV2").input_arg] == ["x", "y"]
    assert op_def_registry.get("NoSuchOp") is None
