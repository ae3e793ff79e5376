"""Strategies over several processes: names that programs test for."""


import pytest

import reflow as tf
from tests.expressions import session

test_expressions = session(__file__)


def test_strategies_that_are_names_only():
    for name in ("TPUStrategy",):
        kind = getattr(tf.distribute, name)
        assert issubclass(kind, tf.distribute.Strategy) and not isinstance(tf.distribute.get_strategy(), kind)
        with pytest.raises(NotImplementedError, match=name):
            kind()
