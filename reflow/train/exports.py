"""The public names of `tf.train` that this folder makes."""

from __future__ import annotations

from reflow.api.export import export_value
from reflow.tracking.trackable import TrackableView
from reflow.train import (
    checkpoint,
    checkpoint_reader,
    checkpoint_state,
    coordinator,
    manager,
    moving_average,
    python_state,
)

export_value(checkpoint.Checkpoint, "train.Checkpoint")
export_value(checkpoint.CheckpointOptions, "train.CheckpointOptions")
export_value(manager.CheckpointManager, "train.CheckpointManager")
export_value(checkpoint_reader.CheckpointView, "train.CheckpointView")
export_value(TrackableView, "train.TrackableView")
export_value(coordinator.Coordinator, "train.Coordinator")
export_value(moving_average.ExponentialMovingAverage, "train.ExponentialMovingAverage")
export_value(python_state.PythonState, "train.experimental.PythonState")
export_value(checkpoint_state.get_checkpoint_state, "train.get_checkpoint_state")
export_value(checkpoint_state.latest_checkpoint, "train.latest_checkpoint")
export_value(checkpoint_reader.checkpoints_iterator, "train.checkpoints_iterator")
export_value(checkpoint_reader.list_variables, "train.list_variables")
export_value(checkpoint_reader.load_checkpoint, "train.load_checkpoint")
export_value(checkpoint_reader.load_variable, "train.load_variable")
