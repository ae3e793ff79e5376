# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.distribute.experimental.partitioners`."""

from reflow.distribute.partitioners import FixedShardsPartitioner as FixedShardsPartitioner
from reflow.distribute.partitioners import MaxSizePartitioner as MaxSizePartitioner
from reflow.distribute.partitioners import MinSizePartitioner as MinSizePartitioner
from reflow.distribute.partitioners import Partitioner as Partitioner
