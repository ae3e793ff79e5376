"""What a dataset tells about how it was made."""

import pytest
from tensorboard.compat.proto.graph_pb2 import GraphDef

import reflow as tf
from reflow.drop_in.python.data.ops.dataset_ops import _VariantDataset

squares = tf.data.Dataset.range(5).map(lambda x: x * x)


def test_the_stages_and_their_functions():
    lines = squares.filter(lambda x: x > 3).__debug_string__().splitlines()
    assert [line.split("Dataset ")[0] for line in lines] == ["<_Filter", "--<_Map", "----<_Range"]
    assert len(squares._functions()) == 1 and tf.data.Dataset.range(1)._functions() == []


def test_a_function_that_makes_it_again():
    variant = squares._trace_variant_creation()()
    assert [int(x) for x in _VariantDataset(variant, squares.element_spec)] == [0, 1, 4, 9, 16]
    generated = tf.data.Dataset.from_generator(lambda: iter([1]), tf.int32).batch(1)
    with (
        tf.Graph().as_default(), pytest.raises(NotImplementedError, match="only supported for datasets created eagerly")
    ):
        tf.data.Dataset.range(1)._trace_variant_creation()
    assert generated._flat_structure["output_types"] == [tf.int32]


def test_its_graph():
    graph = GraphDef.FromString(squares._as_serialized_graph().numpy())
    assert {"RangeDataset", "MapDataset"} <= {node.op for node in graph.node}
    random = tf.data.Dataset.range(2).map(lambda _: tf.random.uniform([]))
    with pytest.raises(tf.errors.FailedPreconditionError, match="is stateful"):
        random._as_serialized_graph(external_state_policy=tf.data.experimental.ExternalStatePolicy.FAIL)
