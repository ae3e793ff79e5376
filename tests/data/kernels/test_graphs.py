"""Datasets written as graphs, and made from them again."""

import pytest
from tensorboard.compat.proto.graph_pb2 import GraphDef

import reflow as tf

D = tf.data.Dataset


def round_trip(dataset, **options):
    graph = tf.raw_ops.DatasetToGraph(input_dataset=dataset._variant_tensor, **options)
    return tf.data.experimental.from_variant(tf.raw_ops.DatasetFromGraph(graph_def=graph), dataset.element_spec)


PIPELINES = {
    "functions of functions": lambda: D.range(3).flat_map(lambda x: D.range(x).map(lambda y: y + x)),
    "two inputs, strings": lambda: D.zip((D.range(2), D.from_tensor_slices(["a", "b"]).cache())),
    "shuffled": lambda: D.range(5).shuffle(3, seed=4).batch(2),
    "options": lambda: D.range(3).with_options(tf.data.Options()).prefetch(1),
}


@pytest.mark.parametrize("name", PIPELINES)
def test_the_same_elements_come_back(name):
    dataset = PIPELINES[name]()
    assert str(list(round_trip(dataset).as_numpy_iterator())) == str(list(dataset.as_numpy_iterator()))


def test_tables_go_along_with_their_entries():
    initializer = tf.lookup.KeyValueTensorInitializer(tf.constant([0, 1], tf.int64), ["a", "b"])
    table = tf.lookup.StaticHashTable(initializer, "-")
    dataset = D.range(3).map(table.lookup)
    copy = round_trip(dataset)
    del table, dataset
    assert list(copy.as_numpy_iterator()) == [b"a", b"b", b"-"]


def test_a_graph_of_a_session_is_written_when_it_runs():
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        copy = round_trip(D.range(3).map(lambda x: x * x))
        element = tf.compat.v1.data.make_one_shot_iterator(copy).get_next()
        assert [session.run(element) for _ in range(3)] == [0, 1, 4]


def test_state_outside_of_the_pipeline():
    random = D.range(2).map(lambda _: tf.random.uniform([]))
    with pytest.raises(tf.errors.FailedPreconditionError, match="pipeline graph: RandomUniform is stateful"):
        round_trip(random)
    assert len(list(round_trip(random, allow_stateful=True))) == 2
    ignored = tf.raw_ops.DatasetToGraphV2(input_dataset=random._variant_tensor, external_state_policy=1)
    assert "RangeDataset" in {node.op for node in GraphDef.FromString(ignored.numpy()).node}


def test_devices_are_left_out_if_asked():
    def double(x):
        with tf.device("/CPU:0"):
            return x * 2

    variant = D.range(2).map(double)._variant_tensor

    def devices(strip):
        data = tf.raw_ops.DatasetToGraphV2(input_dataset=variant, strip_device_assignment=strip)
        functions = GraphDef.FromString(data.numpy()).library.function
        return {node.device for function in functions for node in function.node_def} - {""}

    assert devices(False) and not devices(True)


def test_what_is_no_dataset():
    for data in (b"", b"xx"):
        with pytest.raises(tf.errors.NotFoundError, match="FetchOutputs node : not found"):
            tf.raw_ops.DatasetFromGraph(graph_def=data)
