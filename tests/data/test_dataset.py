"""`reflow/data/dataset.py`: what TensorFlow prints for the expressions of `dataset.txt`."""

import inspect

import reflow as tf
from tests.expressions import session

test_expressions = session(__file__)


def test_editors_know_what_methods_return():
    """The methods that give a dataset say so: completion goes on from there."""
    methods = [m for name in dir(tf.data.Dataset) if callable(m := getattr(tf.data.Dataset, name)) and name[0] != "_"]
    give = [m for m in methods if "Returns:\n  A dataset" in (inspect.getdoc(m) or "")]
    assert len(give) > 35
    assert {m.__annotations__.get("return") for m in give} == {"DatasetV2"}
