"""Any op by its name."""

from reflow.drop_in.python.framework import op_def_library


def test_apply_op():
    assert op_def_library.apply_op("AddV2", x=1.0, y=2.0).numpy() == 3.0
