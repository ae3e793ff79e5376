# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""`tf.train`: checkpoints, and the messages in record files."""

from reflow.distribute.cluster_spec import ClusterDef as ClusterDef
from reflow.distribute.cluster_spec import ClusterSpec as ClusterSpec
from reflow.distribute.cluster_spec import JobDef as JobDef
from reflow.distribute.cluster_spec import ServerDef as ServerDef
from reflow.io.examples import BytesList as BytesList
from reflow.io.examples import Example as Example
from reflow.io.examples import Feature as Feature
from reflow.io.examples import FeatureList as FeatureList
from reflow.io.examples import FeatureLists as FeatureLists
from reflow.io.examples import Features as Features
from reflow.io.examples import FloatList as FloatList
from reflow.io.examples import Int64List as Int64List
from reflow.io.examples import SequenceExample as SequenceExample
from reflow.public.train import experimental as experimental
from reflow.tracking.trackable import TrackableView as TrackableView
from reflow.train.checkpoint import Checkpoint as Checkpoint
from reflow.train.checkpoint import CheckpointOptions as CheckpointOptions
from reflow.train.checkpoint_reader import CheckpointView as CheckpointView
from reflow.train.checkpoint_reader import checkpoints_iterator as checkpoints_iterator
from reflow.train.checkpoint_reader import list_variables as list_variables
from reflow.train.checkpoint_reader import load_checkpoint as load_checkpoint
from reflow.train.checkpoint_reader import load_variable as load_variable
from reflow.train.checkpoint_state import get_checkpoint_state as get_checkpoint_state
from reflow.train.checkpoint_state import latest_checkpoint as latest_checkpoint
from reflow.train.coordinator import Coordinator as Coordinator
from reflow.train.manager import CheckpointManager as CheckpointManager
from reflow.train.moving_average import ExponentialMovingAverage as ExponentialMovingAverage
