"""`reflow/distribute/dtensor/protos.py`: the bytes of TensorFlow's messages."""

import reflow as tf


def test_a_layout_has_the_bytes_of_tensorflows():
    pb = tf.dtensor.proto.layout_pb2
    mesh = pb.MeshProto(mesh_dimensions=[pb.MeshDimensionProto(name="x", size=2)], name="m", use_xla_spmd=True)
    layout = pb.LayoutProto(
        sharding_specs=[pb.ShardingSpec(sharding_spec="x")], mesh_config=mesh, type=pb.LayoutProto.STATIC
    )
    assert layout.SerializeToString() == b"\n\x03\x12\x01x\x12\x0c\n\x05\n\x01x\x10\x02\x1a\x01m8\x01\x18\x01"
