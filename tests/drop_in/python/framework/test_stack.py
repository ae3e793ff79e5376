"""Stacks of defaults."""

import pytest

from reflow.drop_in.python.framework.stack import DefaultStack


def test_the_last_one_is_the_default():
    stack = DefaultStack()
    assert stack.get_default() is None and stack.is_cleared()
    with stack.get_controller(3) as value:
        assert value == stack.get_default() == 3 and not stack.is_cleared()
    assert stack.is_cleared()


def test_contexts_end_in_reverse_order():
    for nested in (True, False):
        stack = DefaultStack()
        stack.enforce_nesting = nested
        first, second = stack.get_controller(1), stack.get_controller(2)
        first.__enter__()
        second.__enter__()
        if nested:
            with pytest.raises(AssertionError, match="Nesting violated for default stack of <class 'int'> objects"):
                first.__exit__(None, None, None)
        else:
            first.__exit__(None, None, None)
            assert stack.stack == [2]
        stack.reset()
        second.__exit__(None, None, None)
