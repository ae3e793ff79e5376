# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.compat.v1.train`."""

from reflow.api.framework.graph_names import write_graph as write_graph
from reflow.compat.optimizers import AdadeltaOptimizer as AdadeltaOptimizer
from reflow.compat.optimizers import AdagradOptimizer as AdagradOptimizer
from reflow.compat.optimizers import AdamOptimizer as AdamOptimizer
from reflow.compat.optimizers import FtrlOptimizer as FtrlOptimizer
from reflow.compat.optimizers import GradientDescentOptimizer as GradientDescentOptimizer
from reflow.compat.optimizers import MomentumOptimizer as MomentumOptimizer
from reflow.compat.optimizers import Optimizer as Optimizer
from reflow.compat.optimizers import RMSPropOptimizer as RMSPropOptimizer
from reflow.compat.summary import summary_iterator as summary_iterator
from reflow.compat.training import Saver as Saver
from reflow.compat.training import create_global_step as create_global_step
from reflow.compat.training import exponential_decay as exponential_decay
from reflow.compat.training import get_global_step as get_global_step
from reflow.compat.training import get_or_create_global_step as get_or_create_global_step
from reflow.compat.training import global_step as global_step
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
from reflow.public.compat.v1.train import experimental as experimental
from reflow.train.checkpoint import CheckpointOptions as CheckpointOptions
from reflow.train.checkpoint_reader import checkpoints_iterator as checkpoints_iterator
from reflow.train.checkpoint_reader import list_variables as list_variables
from reflow.train.checkpoint_reader import load_checkpoint as load_checkpoint
from reflow.train.checkpoint_reader import load_variable as load_variable
from reflow.train.checkpoint_state import get_checkpoint_state as get_checkpoint_state
from reflow.train.checkpoint_state import latest_checkpoint as latest_checkpoint
from reflow.train.coordinator import Coordinator as Coordinator
from reflow.train.manager import CheckpointManager as CheckpointManager
from reflow.train.moving_average import ExponentialMovingAverage as ExponentialMovingAverage

__all__ = [
    "AdadeltaOptimizer", "AdagradOptimizer", "AdamOptimizer", "BytesList", "CheckpointManager", "CheckpointOptions",
    "ClusterDef", "ClusterSpec", "Coordinator", "Example", "ExponentialMovingAverage", "Feature", "FeatureList",
    "FeatureLists", "Features", "FloatList", "FtrlOptimizer", "GradientDescentOptimizer", "Int64List", "JobDef",
    "MomentumOptimizer", "Optimizer", "RMSPropOptimizer", "Saver", "SequenceExample", "ServerDef",
    "checkpoints_iterator", "create_global_step", "experimental", "exponential_decay", "get_checkpoint_state",
    "get_global_step", "get_or_create_global_step", "global_step", "latest_checkpoint", "list_variables",
    "load_checkpoint", "load_variable", "summary_iterator", "write_graph",
]
