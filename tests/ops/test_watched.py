"""`reflow/ops/kernels/control/watched.py`: what the debugger's ops write.

Their values are compared in tests/ops/test_table.py.
"""

import numpy as np
import pytest
from tensorboard.compat.proto.event_pb2 import Event
from tensorboard.util.tensor_util import make_ndarray

import reflow as tf

DEVICE = "/job:localhost/replica:0/task:0/device:CPU:0"


def test_a_watched_tensor_is_written_to_a_file(tmp_path):
    facts = {"tensor_name": "a/b:1", "device_name": DEVICE, "debug_urls": [f"file://{tmp_path}"]}
    tf.raw_ops.DebugIdentity(input=[1.0, 2.0], **facts)
    tf.raw_ops.DebugNumericSummary(input=[1.0, 2.0], mute_if_healthy=True, **facts)
    (file,) = [path for path in tmp_path.rglob("*") if path.is_file()]
    folder = "_tfdbg_device_,job_localhost,replica_0,task_0,device_CPU_0/a"
    assert file.parent == tmp_path / folder and file.name.startswith("b_1_DebugIdentity_")
    (value,) = Event.FromString(file.read_bytes()).summary.value
    assert value.node_name == "a/b:1:DebugIdentity"
    np.testing.assert_array_equal(make_ndarray(value.tensor), [1.0, 2.0])
    with pytest.raises(tf.errors.UnimplementedError, match="Only files"):
        tf.raw_ops.DebugNanCount(input=[1.0], tensor_name="a", debug_urls=["grpc://localhost:1"])
    for name, words in (("", "Failed to parse tensor name"), ("a:b", "Invalid string value for output_slot")):
        with pytest.raises(tf.errors.InvalidArgumentError, match=words):
            tf.raw_ops.DebugIdentity(input=[1.0], tensor_name=name)
