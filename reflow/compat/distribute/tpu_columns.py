"""`tf.compat.v1.tpu.experimental.embedding_column` and `shared_embedding_columns`: embeddings that a TPU would keep in
its own tables.

On the host they are the columns of `tf.feature_column`. They also provide what the configuration of a TPU's tables
needs: sizes, names, combiners, sequence lengths.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from reflow.api.export import export
from reflow.feature_column.base import CategoricalColumn
from reflow.feature_column.combined import WeightedCategoricalColumn
from reflow.feature_column.dense import (
    EmbeddingColumn,
    SharedEmbeddingColumn,
    SharedEmbeddingColumnCreator,
    check_embedding,
    unequal_buckets,
)
from reflow.feature_column.sequence import SequenceCategoricalColumn

DEVICES = ["cpu", "tpu_tensor_core", "tpu_embedding_core"]


class _Table(NamedTuple):
    """The table of a column."""

    initializer: Any
    size: tuple[int, int]
    name: str
    learning_rate_fn: Callable | None
    lookup_device: str | None
    max_sequence_length: int


class _ForTables:
    """What the tables of a TPU ask a column.

    What a column's tuple does not hold is on a class of its own: Keras' layers make tuples anew.
    """

    categorical_column: Any
    combiner: str
    _table: _Table

    def is_sequence_column(self) -> bool:
        return isinstance(self.categorical_column, SequenceCategoricalColumn)

    def is_categorical_column_weighted(self) -> bool:
        return isinstance(self.categorical_column, WeightedCategoricalColumn)

    def get_combiner(self) -> str:
        return self.combiner

    def get_initializer(self) -> Any:
        return self._table.initializer

    def get_embedding_table_size(self) -> tuple[int, int]:
        """How many rows the table has, and how long they are."""
        return self._table.size

    def get_embedding_var_name(self) -> str:
        return self._table.name

    def get_max_sequence_length(self) -> int:
        return self._table.max_sequence_length

    def get_learning_rate_fn(self) -> Callable | None:
        return self._table.learning_rate_fn

    def get_feature_key_name(self) -> str:
        column = self.categorical_column
        return column.categorical_column.name if self.is_categorical_column_weighted() else column.name

    def get_weight_key_name(self) -> str | None:
        return self.categorical_column.weight_feature_key if self.is_categorical_column_weighted() else None

    def get_sequence_length_feature_key_name(self) -> str:
        return f"{self.get_feature_key_name()}_seq_length_"

    def get_dense_tensor(self, transformation_cache: Any, state_manager: Any) -> Any:
        if self._table.lookup_device == "cpu":
            raise ValueError(
                'Using TPUEmbeddingColumn with embedding_lookup_device="cpu" during training is not supported.'
            )
        # the other base has it
        return super().get_dense_tensor(transformation_cache, state_manager)  # type: ignore[misc]


class TPUEmbeddingColumn(_ForTables, EmbeddingColumn):
    """What `embedding_column` makes."""


class TPUSharedEmbeddingColumn(_ForTables, SharedEmbeddingColumn):
    """What `shared_embedding_columns` makes."""


def _made(kind: type, column: Any, fields: tuple, table: _Table) -> Any:
    """A column with its table. ValueError for the length of a sequence that is none, and the reverse."""
    made = type(kind.__name__, (kind,), {"_table": table})(column, *fields)
    length = table.max_sequence_length
    if made.is_sequence_column() and length < 1:
        raise ValueError(
            "max_sequence_length must be greater than 0 for sequence columns. "
            f"Got max_sequence_length={length} for sequence column {column.name}."
        )
    if not made.is_sequence_column() and length != 0:
        raise ValueError(f"Non zero max_seq_length={length} specified for non sequence column {column.name}.")
    return made


def _checked(
    columns: Sequence[Any], function: str, device: str | None, tensor_core_shape: Sequence[int] | None
) -> None:
    for column in columns:
        if not isinstance(column, CategoricalColumn):
            raise TypeError(
                f"categorical_column for tpu {function} must be type {CategoricalColumn.__name__}, got {type(column)}."
            )
    if tensor_core_shape and len(tensor_core_shape) != 2:
        raise ValueError(f"tensor_core_shape must be size 2. Got {tensor_core_shape}.")
    if device and device not in DEVICES:
        raise ValueError(f"If set, embedding_lookup_device must be in {DEVICES}")
    if device == "tpu_tensor_core" and not tensor_core_shape:
        raise ValueError("Using embedding_lookup_device=tpu_tensor_core requires tensor_core_shape to be set.")
    if device == "tpu_tensor_core" and any(isinstance(column, SequenceCategoricalColumn) for column in columns):
        raise ValueError("embedding_lookup_device=tpu_tensor_core currently does not support sequence columns.")


@export("compat.v1.tpu.experimental.embedding_column")
def embedding_column(
    categorical_column, dimension, combiner="mean", initializer=None, max_sequence_length=0, learning_rate_fn=None,
    embedding_lookup_device=None, tensor_core_shape=None, use_safe_embedding_lookup=True,
):
    """`tf.feature_column.embedding_column` for a table of a TPU.

    Args:
      categorical_column: the column of ids.
      dimension: the length of a vector.
      combiner: how the vectors of an example become one: "mean", "sqrtn" or "sum".
      initializer: of the table; by default normal with a deviation of 1/sqrt(dimension).
      max_sequence_length: of a sequence column, how many ids count.
      learning_rate_fn: of the table, a function of the global step.
      embedding_lookup_device: "cpu", "tpu_tensor_core" or "tpu_embedding_core", for serving.
      tensor_core_shape: the shape of the ids on a tensor core, of two numbers.
      use_safe_embedding_lookup: whether examples without ids get zeros.

    Raises:
      TypeError: the column is not categorical.
      ValueError: for other arguments that cannot be.

    >>> hour = tf.feature_column.categorical_column_with_identity("hour", 24)
    >>> tf.compat.v1.tpu.experimental.embedding_column(hour, dimension=3).get_embedding_table_size()
    (24, 3)
    """
    _checked([categorical_column], "embedding_column", embedding_lookup_device, tensor_core_shape)
    start = check_embedding(dimension, None, None, initializer, f" Embedding of column_name: {categorical_column.name}")
    size = categorical_column.num_buckets, dimension
    table = _Table(start, size, categorical_column.name, learning_rate_fn, embedding_lookup_device, max_sequence_length)
    fields = dimension, combiner, start, None, None, None, True, use_safe_embedding_lookup
    return _made(TPUEmbeddingColumn, categorical_column, fields, table)


@export("compat.v1.tpu.experimental.shared_embedding_columns")
def shared_embedding_columns(
    categorical_columns, dimension, combiner="mean", initializer=None, shared_embedding_collection_name=None,
    max_sequence_lengths=None, learning_rate_fn=None, embedding_lookup_device=None, tensor_core_shape=None,
    use_safe_embedding_lookup=True,
) -> list:
    """Embeddings of several categorical columns which share one table of a TPU; the arguments are those of
    `embedding_column`.

    Args:
      shared_embedding_collection_name: of the table; by default made from the columns' names.
      max_sequence_lengths: a number for each column.

    Raises:
      TypeError: a column is not categorical.
      ValueError: for other arguments that cannot be.

    >>> watched, liked = (tf.feature_column.categorical_column_with_identity(k, 9) for k in ("watched", "liked"))
    >>> columns = tf.compat.v1.tpu.experimental.shared_embedding_columns([watched, liked], 3)
    >>> columns[0].get_embedding_var_name()
    'liked_watched_shared_embedding'
    """
    _checked(categorical_columns, " shared_embedding_columns", embedding_lookup_device, tensor_core_shape)
    lengths = max_sequence_lengths or [0] * len(categorical_columns)
    if len(lengths) != len(categorical_columns):
        raise ValueError(
            "max_sequence_lengths and categorical_columns must be of the same length. "
            f"len(max_sequence_lengths)={len(lengths)} len(categorical_columns)={len(categorical_columns)}."
        )
    start = check_embedding(dimension, None, None, initializer, " ")
    in_order = sorted(categorical_columns, key=lambda column: column.name)
    rows = in_order[0].num_buckets
    for other in in_order[1:]:
        if other.num_buckets != rows:
            raise unequal_buckets(in_order[0], rows, other)
    name = shared_embedding_collection_name or "_".join(column.name for column in in_order) + "_shared_embedding"
    creator = SharedEmbeddingColumnCreator(dimension, start, None, None, rows, None, name, use_safe_embedding_lookup)
    tables = [
        _Table(start, (rows, dimension), name, learning_rate_fn, embedding_lookup_device, length) for length in lengths
    ]
    fields = creator, combiner, None, use_safe_embedding_lookup
    return [
        _made(TPUSharedEmbeddingColumn, column, fields, table)
        for column, table in zip(categorical_columns, tables, strict=True)
    ]
