"""`tf.contrib.tensorboard.plugins.projector`: what the Embedding Projector of TensorBoard reads."""

from __future__ import annotations

from typing import Any

from tensorboard.plugins import projector as _projector

ProjectorConfig = _projector.ProjectorConfig
EmbeddingInfo = _projector.EmbeddingInfo


def visualize_embeddings(summary_writer: Any, config: Any) -> None:
    """Write the settings of the projector to the folder of a writer, or to a folder."""
    folder = summary_writer.get_logdir() if hasattr(summary_writer, "get_logdir") else summary_writer
    _projector.visualize_embeddings(folder, config)
