"""Which way of reducing fits some devices; what the ways have in common."""

import reflow as tf
from reflow.drop_in.python.distribute import cross_device_ops as ops


def test_the_way_that_fits():
    assert isinstance(ops.select_cross_device_ops(["/cpu:0"]), tf.distribute.ReductionToOneDevice)
    assert isinstance(ops.select_cross_device_ops(["/gpu:0", "/cpu:0"]), tf.distribute.ReductionToOneDevice)
    assert isinstance(ops.select_cross_device_ops(["/gpu:0", "/device:GPU:1"]), tf.distribute.NcclAllReduce)


def test_collectives():
    for made, algorithm in ((ops.NcclAllReduce(2), "nccl"), (ops.HierarchicalCopyAllReduce(2), "hierarchical_copy")):
        assert isinstance(made, ops.AllReduceCrossDeviceOps)
        assert (made.all_reduce_alg, made.num_packs) == (algorithm, 2)


def test_one_device_gets_the_tensor_itself():
    tensor = tf.constant(1.0)
    assert ops.ReductionToOneDevice().broadcast(tensor, "/cpu:0") is tensor
    assert len(ops.ReductionToOneDevice().broadcast(tensor, ["/cpu:0", "/cpu:1"]).values) == 2
