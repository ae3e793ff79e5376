"""`reflow/api/ragged/structured.py`: what TensorFlow prints for the expressions of `structured.txt`."""

import reflow as tf
from tests.expressions import session

test_expressions = session(__file__)


def test_structures_pass_through_functions():
    people = tf.experimental.StructuredTensor.from_pyval(
        [{"age": 12, "names": ["A"]}, {"age": 82, "names": ["B", "C"]}]
    )
    older = tf.function(lambda p: p.with_updates({"age": lambda age: age + 1}))(people)
    assert older.to_pyval() == [{"age": 13, "names": [b"A"]}, {"age": 83, "names": [b"B", b"C"]}]
    spec = tf.type_spec_from_value(people)
    assert spec.shape == [2] and spec._batch(None).shape == [None, 2] and spec._unbatch().rank == 0
    assert spec._unbatch()._fields["age"] == tf.TensorSpec([], tf.int32)
