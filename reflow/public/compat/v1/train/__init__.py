# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.compat.v1.train`."""

from reflow.api.framework.graph_names import write_graph as write_graph
from reflow.compat.meta_graph import export_meta_graph as export_meta_graph
from reflow.compat.meta_graph import import_meta_graph as import_meta_graph
from reflow.compat.protos import SaverDef as SaverDef
from reflow.compat.summary_files import summary_iterator as summary_iterator
from reflow.compat.train.checkpoint import CheckpointV1 as Checkpoint
from reflow.compat.train.checkpoint_initializers import init_from_checkpoint as init_from_checkpoint
from reflow.compat.train.decays import cosine_decay as cosine_decay
from reflow.compat.train.decays import cosine_decay_restarts as cosine_decay_restarts
from reflow.compat.train.decays import exponential_decay as exponential_decay
from reflow.compat.train.decays import inverse_time_decay as inverse_time_decay
from reflow.compat.train.decays import linear_cosine_decay as linear_cosine_decay
from reflow.compat.train.decays import natural_exp_decay as natural_exp_decay
from reflow.compat.train.decays import noisy_linear_cosine_decay as noisy_linear_cosine_decay
from reflow.compat.train.decays import piecewise_constant as piecewise_constant
from reflow.compat.train.decays import polynomial_decay as polynomial_decay
from reflow.compat.train.device_setter import replica_device_setter as replica_device_setter
from reflow.compat.train.file_hooks import CheckpointSaverHook as CheckpointSaverHook
from reflow.compat.train.file_hooks import CheckpointSaverListener as CheckpointSaverListener
from reflow.compat.train.file_hooks import ProfilerHook as ProfilerHook
from reflow.compat.train.file_hooks import StepCounterHook as StepCounterHook
from reflow.compat.train.file_hooks import SummarySaverHook as SummarySaverHook
from reflow.compat.train.global_step import assert_global_step as assert_global_step
from reflow.compat.train.global_step import create_global_step as create_global_step
from reflow.compat.train.global_step import get_global_step as get_global_step
from reflow.compat.train.global_step import get_or_create_global_step as get_or_create_global_step
from reflow.compat.train.global_step import global_step as global_step
from reflow.compat.train.hooks import FeedFnHook as FeedFnHook
from reflow.compat.train.hooks import FinalOpsHook as FinalOpsHook
from reflow.compat.train.hooks import GlobalStepWaiterHook as GlobalStepWaiterHook
from reflow.compat.train.hooks import LoggingTensorHook as LoggingTensorHook
from reflow.compat.train.hooks import NanLossDuringTrainingError as NanLossDuringTrainingError
from reflow.compat.train.hooks import NanTensorHook as NanTensorHook
from reflow.compat.train.hooks import SecondOrStepTimer as SecondOrStepTimer
from reflow.compat.train.hooks import StopAtStepHook as StopAtStepHook
from reflow.compat.train.inputs import batch as batch
from reflow.compat.train.inputs import batch_join as batch_join
from reflow.compat.train.inputs import input_producer as input_producer
from reflow.compat.train.inputs import limit_epochs as limit_epochs
from reflow.compat.train.inputs import match_filenames_once as match_filenames_once
from reflow.compat.train.inputs import maybe_batch as maybe_batch
from reflow.compat.train.inputs import maybe_batch_join as maybe_batch_join
from reflow.compat.train.inputs import maybe_shuffle_batch as maybe_shuffle_batch
from reflow.compat.train.inputs import maybe_shuffle_batch_join as maybe_shuffle_batch_join
from reflow.compat.train.inputs import range_input_producer as range_input_producer
from reflow.compat.train.inputs import shuffle_batch as shuffle_batch
from reflow.compat.train.inputs import shuffle_batch_join as shuffle_batch_join
from reflow.compat.train.inputs import slice_input_producer as slice_input_producer
from reflow.compat.train.inputs import string_input_producer as string_input_producer
from reflow.compat.train.monitored import ChiefSessionCreator as ChiefSessionCreator
from reflow.compat.train.monitored import MonitoredSession as MonitoredSession
from reflow.compat.train.monitored import MonitoredTrainingSession as MonitoredTrainingSession
from reflow.compat.train.monitored import SessionCreator as SessionCreator
from reflow.compat.train.monitored import SingularMonitoredSession as SingularMonitoredSession
from reflow.compat.train.monitored import WorkerSessionCreator as WorkerSessionCreator
from reflow.compat.train.optimizers import AdadeltaOptimizer as AdadeltaOptimizer
from reflow.compat.train.optimizers import AdagradOptimizer as AdagradOptimizer
from reflow.compat.train.optimizers import AdamOptimizer as AdamOptimizer
from reflow.compat.train.optimizers import FtrlOptimizer as FtrlOptimizer
from reflow.compat.train.optimizers import GradientDescentOptimizer as GradientDescentOptimizer
from reflow.compat.train.optimizers import MomentumOptimizer as MomentumOptimizer
from reflow.compat.train.optimizers import Optimizer as Optimizer
from reflow.compat.train.optimizers import RMSPropOptimizer as RMSPropOptimizer
from reflow.compat.train.proximal import AdagradDAOptimizer as AdagradDAOptimizer
from reflow.compat.train.proximal import ProximalAdagradOptimizer as ProximalAdagradOptimizer
from reflow.compat.train.proximal import ProximalGradientDescentOptimizer as ProximalGradientDescentOptimizer
from reflow.compat.train.queue_runners import LooperThread as LooperThread
from reflow.compat.train.queue_runners import QueueRunner as QueueRunner
from reflow.compat.train.queue_runners import add_queue_runner as add_queue_runner
from reflow.compat.train.queue_runners import start_queue_runners as start_queue_runners
from reflow.compat.train.saver import Saver as Saver
from reflow.compat.train.scaffold import Scaffold as Scaffold
from reflow.compat.train.session_manager import SessionManager as SessionManager
from reflow.compat.train.session_run_hook import SessionRunArgs as SessionRunArgs
from reflow.compat.train.session_run_hook import SessionRunContext as SessionRunContext
from reflow.compat.train.session_run_hook import SessionRunHook as SessionRunHook
from reflow.compat.train.session_run_hook import SessionRunValues as SessionRunValues
from reflow.compat.train.supervisor import Supervisor as Supervisor
from reflow.compat.train.supervisor import basic_train_loop as basic_train_loop
from reflow.compat.train.sync_replicas import SyncReplicasOptimizer as SyncReplicasOptimizer
from reflow.compat.train.warm_starting import VocabInfo as VocabInfo
from reflow.compat.train.warm_starting import warm_start as warm_start
from reflow.distribute.cluster_spec import ClusterDef as ClusterDef
from reflow.distribute.cluster_spec import ClusterSpec as ClusterSpec
from reflow.distribute.cluster_spec import JobDef as JobDef
from reflow.distribute.cluster_spec import ServerDef as ServerDef
from reflow.distribute.server import Server as Server
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
from reflow.public.compat.v1.train import queue_runner as queue_runner
from reflow.train.checkpoint import CheckpointOptions as CheckpointOptions
from reflow.train.checkpoint_reader import checkpoints_iterator as checkpoints_iterator
from reflow.train.checkpoint_reader import list_variables as list_variables
from reflow.train.checkpoint_reader import load_checkpoint as load_checkpoint
from reflow.train.checkpoint_reader import load_variable as load_variable
from reflow.train.checkpoint_reader import new_checkpoint_reader as NewCheckpointReader
from reflow.train.checkpoint_state import checkpoint_exists as checkpoint_exists
from reflow.train.checkpoint_state import generate_checkpoint_state_proto as generate_checkpoint_state_proto
from reflow.train.checkpoint_state import get_checkpoint_mtimes as get_checkpoint_mtimes
from reflow.train.checkpoint_state import get_checkpoint_state as get_checkpoint_state
from reflow.train.checkpoint_state import latest_checkpoint as latest_checkpoint
from reflow.train.checkpoint_state import remove_checkpoint as remove_checkpoint
from reflow.train.checkpoint_state import update_checkpoint_state as update_checkpoint_state
from reflow.train.coordinator import Coordinator as Coordinator
from reflow.train.manager import CheckpointManager as CheckpointManager
from reflow.train.moving_average import ExponentialMovingAverage as ExponentialMovingAverage

piecewise_constant_decay = piecewise_constant

__all__ = [
    "AdadeltaOptimizer", "AdagradDAOptimizer", "AdagradOptimizer", "AdamOptimizer", "BytesList", "Checkpoint",
    "CheckpointManager", "CheckpointOptions", "CheckpointSaverHook", "CheckpointSaverListener", "ChiefSessionCreator",
    "ClusterDef", "ClusterSpec", "Coordinator", "Example", "ExponentialMovingAverage", "Feature", "FeatureList",
    "FeatureLists", "Features", "FeedFnHook", "FinalOpsHook", "FloatList", "FtrlOptimizer", "GlobalStepWaiterHook",
    "GradientDescentOptimizer", "Int64List", "JobDef", "LoggingTensorHook", "LooperThread", "MomentumOptimizer",
    "MonitoredSession", "MonitoredTrainingSession", "NanLossDuringTrainingError", "NanTensorHook",
    "NewCheckpointReader", "Optimizer", "ProfilerHook", "ProximalAdagradOptimizer", "ProximalGradientDescentOptimizer",
    "QueueRunner", "RMSPropOptimizer", "Saver", "SaverDef", "Scaffold", "SecondOrStepTimer", "SequenceExample",
    "Server", "ServerDef", "SessionCreator", "SessionManager", "SessionRunArgs", "SessionRunContext", "SessionRunHook",
    "SessionRunValues", "SingularMonitoredSession", "StepCounterHook", "StopAtStepHook", "SummarySaverHook",
    "Supervisor", "SyncReplicasOptimizer", "VocabInfo", "WorkerSessionCreator", "add_queue_runner",
    "assert_global_step", "basic_train_loop", "batch", "batch_join", "checkpoint_exists", "checkpoints_iterator",
    "cosine_decay", "cosine_decay_restarts", "create_global_step", "experimental", "exponential_decay",
    "export_meta_graph", "generate_checkpoint_state_proto", "get_checkpoint_mtimes", "get_checkpoint_state",
    "get_global_step", "get_or_create_global_step", "global_step", "import_meta_graph", "init_from_checkpoint",
    "input_producer", "inverse_time_decay", "latest_checkpoint", "limit_epochs", "linear_cosine_decay",
    "list_variables", "load_checkpoint", "load_variable", "match_filenames_once", "maybe_batch", "maybe_batch_join",
    "maybe_shuffle_batch", "maybe_shuffle_batch_join", "natural_exp_decay", "noisy_linear_cosine_decay",
    "piecewise_constant", "piecewise_constant_decay", "polynomial_decay", "queue_runner", "range_input_producer",
    "remove_checkpoint", "replica_device_setter", "shuffle_batch", "shuffle_batch_join", "slice_input_producer",
    "start_queue_runners", "string_input_producer", "summary_iterator", "update_checkpoint_state", "warm_start",
    "write_graph",
]
