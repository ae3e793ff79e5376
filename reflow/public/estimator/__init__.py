# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.estimator`."""

from reflow.compat.train.file_hooks import CheckpointSaverHook as CheckpointSaverHook
from reflow.compat.train.file_hooks import CheckpointSaverListener as CheckpointSaverListener
from reflow.compat.train.file_hooks import ProfilerHook as ProfilerHook
from reflow.compat.train.file_hooks import StepCounterHook as StepCounterHook
from reflow.compat.train.file_hooks import SummarySaverHook as SummarySaverHook
from reflow.compat.train.hooks import FeedFnHook as FeedFnHook
from reflow.compat.train.hooks import FinalOpsHook as FinalOpsHook
from reflow.compat.train.hooks import GlobalStepWaiterHook as GlobalStepWaiterHook
from reflow.compat.train.hooks import LoggingTensorHook as LoggingTensorHook
from reflow.compat.train.hooks import NanLossDuringTrainingError as NanLossDuringTrainingError
from reflow.compat.train.hooks import NanTensorHook as NanTensorHook
from reflow.compat.train.hooks import SecondOrStepTimer as SecondOrStepTimer
from reflow.compat.train.hooks import StopAtStepHook as StopAtStepHook
from reflow.compat.train.session_run_hook import SessionRunArgs as SessionRunArgs
from reflow.compat.train.session_run_hook import SessionRunContext as SessionRunContext
from reflow.compat.train.session_run_hook import SessionRunHook as SessionRunHook
from reflow.compat.train.session_run_hook import SessionRunValues as SessionRunValues
