"""Functions that are called with names alone."""

import pytest

from reflow.drop_in.python.util.keyword_args import keyword_args_only


def test_positions_are_refused():
    @keyword_args_only
    def add(x, y):
        return x + y

    assert add(x=1, y=2) == 3
    with pytest.raises(ValueError, match="add only accepts keyword arguments"):
        add(1, y=2)
