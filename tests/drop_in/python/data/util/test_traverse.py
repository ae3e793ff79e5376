"""The ops by which a dataset is made."""

import reflow as tf
from reflow.drop_in.python.data.util import traverse


def test_the_ops_of_a_pipeline_and_of_what_its_functions_capture():
    with tf.Graph().as_default():
        captured = tf.data.Dataset.range(10).repeat(2)
        dataset = tf.data.Dataset.range(20).prefetch(1).flat_map(lambda x: captured.batch(x))
        found = {op.name for op in traverse.obtain_all_variant_tensor_ops(dataset)}
        assert found == {"FlatMapDataset", "PrefetchDataset", "RepeatDataset", "RangeDataset", "RangeDataset_1"}
        shuffled = traverse.obtain_capture_by_value_ops(tf.data.Dataset.range(3).shuffle(2))
        assert {"ShuffleDatasetV3", "RangeDataset", "DummySeedGenerator"} == {op.type for op in shuffled}
