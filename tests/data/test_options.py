"""`tf.data.Options`: merged along a pipeline, compared by value, TensorFlow's proto."""


import reflow as tf
from tests.drop_in.processes import check
from tests.expressions import session

test_expressions = session(__file__)
D = tf.data.Dataset


def test_options_are_merged_along_the_pipeline():
    first, second = tf.data.Options(), tf.data.Options()
    first.experimental_optimization.map_fusion = True
    first.threading.private_threadpool_size = 3
    second.deterministic = False
    second.threading.max_intra_op_parallelism = 1
    merged = D.range(3).with_options(first).map(lambda x: x).with_options(second).batch(2).options()
    assert merged.experimental_optimization.map_fusion is True
    assert merged.deterministic is False
    assert (merged.threading.private_threadpool_size, merged.threading.max_intra_op_parallelism) == (3, 1)
    assert merged.autotune.enabled is None


def test_options_equal_by_value():
    a, b = tf.data.Options(), tf.data.Options()
    a.autotune.enabled = False
    assert a != b
    b.autotune.enabled = False
    assert a == b


def test_options_serialize_as_tensorflows_proto():
    options = tf.data.Options()
    options.deterministic = True
    options.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.OFF
    options.autotune.cpu_budget = 300
    options.experimental_external_state_policy = tf.data.experimental.ExternalStatePolicy.IGNORE
    # recorded: tf.data.Options()...._to_proto().SerializeToString()
    assert options._serialize() == bytes.fromhex(
        "0801120b08ffffffffffffffffff011a002a0030013a0310ac026200")


def test_options_as_messages():
    """The message is TensorFlow's own; the drop-in has it."""
    out = check("""
        import tensorflow as tf
        from tensorflow.core.framework import dataset_options_pb2
        options = tf.data.Options()
        options.deterministic = True
        options.autotune.cpu_budget = 10
        options.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.OFF
        options.framework_type = ["TFDS", "X"]
        message = options._to_proto()
        print(message.deterministic, message.autotune_options.cpu_budget, list(message.framework_type))
        print(message.distribute_options.auto_shard_policy == dataset_options_pb2.AutoShardPolicy.OFF)
        again = tf.data.Options()
        again._from_proto(message)
        print(again == options, again.threading._to_proto().WhichOneof("optional_private_threadpool_size"))
    """)
    assert out.splitlines() == ["True 10 ['TFDS', 'X']", "True", "True None"]
