# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.dtensor.proto.layout_pb2`."""

from reflow.distribute.dtensor.protos import DESCRIPTOR as DESCRIPTOR
from reflow.distribute.dtensor.protos import LayoutProto as LayoutProto
from reflow.distribute.dtensor.protos import MeshDimensionProto as MeshDimensionProto
from reflow.distribute.dtensor.protos import MeshProto as MeshProto
from reflow.distribute.dtensor.protos import ShardingSpec as ShardingSpec
