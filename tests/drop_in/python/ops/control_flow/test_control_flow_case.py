"""`tf.case` with another `cond`."""

import pytest

from reflow.drop_in.python.ops.control_flow.control_flow_case import _case_helper


def either(predicate, true_fn, false_fn):
    return true_fn() if predicate else false_fn()


def test_the_first_true_predicate_decides():
    pairs = [(False, lambda: 1), (True, lambda: [2]), (True, lambda: 3)]
    assert _case_helper(either, pairs, lambda: 4, False, "case") == 2
    assert _case_helper(either, pairs[:1], None, False, "case") == 1
    with pytest.raises(ValueError, match="exclusive"):
        _case_helper(either, pairs, None, True, "case", allow_python_preds=True)
    with pytest.raises(ValueError, match="neither"):
        _case_helper(either, [], None, False, "case")
