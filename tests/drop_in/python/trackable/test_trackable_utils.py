"""An order by dependencies; names."""

import pytest

from reflow.drop_in.python.trackable import trackable_utils


def test_order():
    order = trackable_utils.order_by_dependency({1: [2, 3], 2: [3], 3: []})
    assert order == [3, 2, 1]
    with pytest.raises(ValueError, match="not keys"):
        trackable_utils.order_by_dependency({1: [2]})
    with pytest.raises(trackable_utils.CyclicDependencyError):
        trackable_utils.order_by_dependency({1: [2], 2: [1]})


def test_names():
    assert trackable_utils.extract_object_name("a/b/.ATTRIBUTES/c") == "a/b"
