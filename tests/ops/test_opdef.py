"""TensorFlow's OpDefs as data: `reflow/ops/opdef.py`."""

import pytest

from reflow.ops import opdef


def test_every_op_decodes():
    definitions = [opdef.lookup(name) for name in opdef.names()]
    assert len([d for d in definitions if not d.name.startswith(opdef.OWN_PREFIX)]) == 1462 + len(opdef.unlisted())
    for definition in definitions:
        for arg in definition.inputs + definition.outputs:
            assert set(arg.attr_names) <= set(definition.attrs), (definition.name, arg)
            assert arg.type or arg.attr_names, (definition.name, arg)


def test_one_object_per_name():
    assert opdef.lookup("AddV2") is opdef.lookup("AddV2")


def test_arguments():
    pack = opdef.lookup("Pack")
    (values,) = pack.inputs
    assert (values.type_attr, values.number_attr, values.is_list) == ("T", "N", True)
    assert pack.inferred_attrs == {"T", "N"}
    assert pack.attrs["N"].minimum == 1
    assert opdef.lookup("Reshape").outputs == (opdef.Arg("output", type_attr="T"),)
    assert opdef.lookup("Shape").inferred_attrs == {"T"}  # out_type is the caller's
    assert opdef.lookup("PartitionedCall").inferred_attrs == {"Tin"}


@pytest.mark.parametrize(
    ("op", "attr", "default"),
    [
        ("MatMul", "transpose_a", False),
        ("Shape", "out_type", "DT_INT32"),
        ("StridedSlice", "begin_mask", 0),
        ("BiasAdd", "data_format", "NHWC"),
        ("Conv2D", "dilations", [1, 1, 1, 1]),
        ("Conv2D", "explicit_paddings", []),
        ("Placeholder", "shape", None),  # unknown rank
        ("MutableDenseHashTable", "value_shape", ()),
        ("DebugNumericSummary", "upper_bound", float("inf")),
        ("Pack", "T", opdef.MISSING),
    ],
)
def test_defaults(op, attr, default):
    assert opdef.lookup(op).attrs[attr].default == default


def test_allowed_and_stateful():
    assert opdef.lookup("AvgPool").attrs["padding"].allowed == ("SAME", "VALID")
    assert "DT_FLOAT" in opdef.lookup("Abs").attrs["T"].allowed
    assert opdef.lookup("ReadVariableOp").stateful
    assert not opdef.lookup("AddV2").stateful


def test_unknown_op_names_the_close_ones():
    with pytest.raises(KeyError, match="No op named 'Matmul'.*MatMul"):
        opdef.lookup("Matmul")


def test_own_ops(monkeypatch):
    monkeypatch.setattr(opdef, "_own", {})
    mine = opdef.register_own(opdef.OpDef("Reflow>Mine", inputs=(opdef.Arg("x", type_attr="T"),)))
    assert opdef.lookup("Reflow>Mine") is mine
    assert opdef.names()[-1] == "Reflow>Mine"
    with pytest.raises(ValueError, match="registered already"):
        opdef.register_own(opdef.OpDef("Reflow>Mine"))
    with pytest.raises(ValueError, match="must be named Reflow>Name"):
        opdef.register_own(opdef.OpDef("Mine"))
