"""`CentralStorageStrategy`: `programs/central_storage.py` compares it with TensorFlow; here with one device."""

import reflow as tf


def test_one_device_has_one_replica_and_plain_numbers():
    strategy = tf.distribute.experimental.CentralStorageStrategy(["/cpu:0"])
    with strategy.scope():
        total = tf.Variable(1.0, aggregation=tf.VariableAggregation.SUM)
    assert strategy.num_replicas_in_sync == 1
    strategy.run(lambda: total.assign_add(2.0))
    strategy.extended.update(total, lambda v, x: v.assign_add(x), (4.0,))
    assert float(total) == 7.0 and total.values[0].numpy() == 7.0
