"""`reflow/distribute/values.py`: what TensorFlow prints for the expressions of `values.txt`."""

import pytest

from reflow.distribute import values
from tests.expressions import session

test_expressions = session(__file__)


def test_only_mirrored_values_are_selected_as_mirrored():
    mirrored, differing = values.Mirrored(["a", "a"]), values.PerReplica([1, 2])
    assert values.select_mirrored(1, {"x": mirrored, "y": 3}) == {"x": "a", "y": 3}
    with pytest.raises(TypeError, match="Expected value to be mirrored across replicas"):
        values.select_mirrored(0, [mirrored, differing])
