"""`gast` under the names of `ast`."""

import gast


def test_optional_fields_may_be_left_out():
    from reflow.drop_in import gast_trees

    value = gast.BinOp(gast_trees.Constant(1), gast_trees.Add(), gast_trees.Name("x", gast_trees.Load()))
    made = gast.fix_missing_locations(gast_trees.Assign([gast_trees.Name("y", gast_trees.Store())], value))
    assert gast_trees.unparse(made) == "y = 1 + x"


def test_a_parameter_is_a_name():
    from reflow.drop_in import gast_trees

    parameter = gast_trees.arg("x")
    assert isinstance(parameter, gast.Name) and isinstance(parameter.ctx, gast.Param) and parameter.id == "x"
