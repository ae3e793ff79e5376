"""`tensorflow.python.training.checkpoint_ops`: matrices of a checkpoint for another vocabulary."""

from reflow.compat.train.vocabulary_remapping import load_and_remap_matrix as _load_and_remap_matrix  # noqa: F401
from reflow.compat.train.vocabulary_remapping import (
    load_and_remap_matrix_initializer as _load_and_remap_matrix_initializer,  # noqa: F401
)
from reflow.compat.train.vocabulary_remapping import load_embedding_initializer as _load_embedding_initializer  # noqa: F401
