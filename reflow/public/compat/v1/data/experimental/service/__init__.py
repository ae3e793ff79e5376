# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.compat.v1.data.experimental.service`."""

from reflow.data.service.public import CrossTrainerCache as CrossTrainerCache
from reflow.data.service.public import DispatcherConfig as DispatcherConfig
from reflow.data.service.public import ShardingPolicy as ShardingPolicy
from reflow.data.service.public import WorkerConfig as WorkerConfig
from reflow.data.service.public import distribute as distribute
from reflow.data.service.public import from_dataset_id as from_dataset_id
from reflow.data.service.public import register_dataset as register_dataset
