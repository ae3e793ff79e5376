"""An order by dependencies; names."""

import pytest

from reflow.drop_in.python.trackable import trackable_utils
from reflow.tracking.trackable import TrackableReference


def test_order():
    order = trackable_utils.order_by_dependency({1: [2, 3], 2: [3], 3: []})
    assert order == [3, 2, 1]
    with pytest.raises(ValueError, match="not keys"):
        trackable_utils.order_by_dependency({1: [2]})
    with pytest.raises(trackable_utils.CyclicDependencyError):
        trackable_utils.order_by_dependency({1: [2], 2: [1]})


def test_names():
    assert trackable_utils.extract_object_name("a/b/.ATTRIBUTES/c") == "a/b"


def test_keys_and_paths():
    key = trackable_utils.checkpoint_key(object_path="a", local_name="v")
    assert key == "a/.ATTRIBUTES/v" and trackable_utils.extract_local_name(key) == "v"
    assert trackable_utils.extract_local_name("a/.ATTRIBUTES/pre/v", prefix="pre/") == "v"
    path = [TrackableReference(name, None) for name in ("layer", "kernel")]
    assert trackable_utils.pretty_print_node_path(path) == "root.layer.kernel"
    assert trackable_utils.pretty_print_node_path([]) == "root object"
