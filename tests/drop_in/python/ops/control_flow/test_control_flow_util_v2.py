"""What functions of branches and loops are called, and where code runs."""

import reflow as tf
from reflow.drop_in.python.ops.control_flow import control_flow_util_v2 as util


def test_names_are_unique():
    assert (
        util.unique_fn_name("a/b/", "f").startswith("a_b_f_")
        and util.unique_fn_name("", "f") != util.unique_fn_name("", "f")
    )
    assert util.unique_grad_fn_name("f").startswith("f_grad_")


def test_inside_of_a_function():
    seen = []
    tf.function(lambda: seen.append(util.in_defun()))()
    assert seen == [True] and not util.in_defun()
