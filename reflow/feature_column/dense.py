"""Dense columns of categories: indicators (how often each id occurs) and embeddings."""

from __future__ import annotations

import collections
import math
import types
from typing import Any, NamedTuple

from reflow.api.array import arrange, creation, indexing
from reflow.api.export import export, with_sections
from reflow.api.math import arithmetic, reduce
from reflow.api.nn import embeddings
from reflow.api.sparse import tensors as sparse
from reflow.compat.behavior import get_default_graph
from reflow.compat.initializers import TruncatedNormal
from reflow.compat.variable_scopes import get_variable
from reflow.core import dtypes
from reflow.core.context import state
from reflow.core.shapes import TensorShape
from reflow.core.sparse import SparseTensor
from reflow.feature_column.base import CategoricalColumn, DenseColumn, SequenceDenseColumn
from reflow.feature_column.combined import WeightedCategoricalColumn
from reflow.feature_column.restored import restored
from reflow.feature_column.sequence import SequenceCategoricalColumn, sequence_lengths
from reflow.feature_column.serialization import Fields, registered
from reflow.tracking.trackable import AutoTrackable


class _OfCategories(DenseColumn, SequenceDenseColumn):
    """A dense column of a categorical one, which may be a sequence or not: `KIND` says in errors what it is called."""

    KIND = ""
    categorical_column: Any

    parents = property(lambda self: [self.categorical_column])
    parse_example_spec = property(lambda self: self.categorical_column.parse_example_spec)

    def _numbers(self, transformation_cache, state_manager):
        raise NotImplementedError

    def get_dense_tensor(self, transformation_cache, state_manager):
        if isinstance(self.categorical_column, SequenceCategoricalColumn):
            raise ValueError(
                f"In {self.KIND}: {self.name}. categorical_column must not be of type SequenceCategoricalColumn. "
                "Suggested fix A: If you wish to use DenseFeatures, use a non-sequence categorical_column_with_*. "
                "Suggested fix B: If you wish to create sequence input, use SequenceFeatures instead of DenseFeatures. "
                f"Given (type {type(self.categorical_column)}): {self.categorical_column}"
            )
        return self._numbers(transformation_cache, state_manager)

    def get_sequence_dense_tensor(self, transformation_cache, state_manager):
        if not isinstance(self.categorical_column, SequenceCategoricalColumn):
            raise ValueError(
                f"In {self.KIND}: {self.name}. categorical_column must be of type SequenceCategoricalColumn to use "
                "SequenceFeatures. Suggested fix: Use one of sequence_categorical_column_with_*. "
                f"Given (type {type(self.categorical_column)}): {self.categorical_column}"
            )
        numbers = self._numbers(transformation_cache, state_manager)
        ids = self.categorical_column.get_sparse_tensors(transformation_cache, state_manager).id_tensor
        return SequenceDenseColumn.TensorSequenceLengthPair(numbers, sequence_lengths(ids))


@registered
class IndicatorColumn(Fields, _OfCategories, collections.namedtuple("IndicatorColumn", ("categorical_column",))):
    """What `indicator_column` makes."""

    COLUMNS = ("categorical_column",)
    KIND = "indicator_column"

    name = property(lambda self: f"{self.categorical_column.name}_indicator")
    variable_shape = property(lambda self: TensorShape([1, self.categorical_column.num_buckets]))

    def transform_feature(self, transformation_cache, state_manager):
        ids, weights = self.categorical_column.get_sparse_tensors(transformation_cache, state_manager)
        size = int(self.categorical_column.num_buckets)
        if weights is not None:
            return _summed(ids, weights, size)
        hot = creation.one_hot(sparse.to_dense(ids, default_value=-1), size, 1.0, 0.0)
        return reduce.reduce_sum(hot, axis=-2)

    def _numbers(self, transformation_cache, state_manager):
        return transformation_cache.get(self, state_manager)


def _summed(ids: SparseTensor, weights: SparseTensor, size: int):
    """For each example, the weights of each id; ids out of range count nothing."""
    wanted = arithmetic.logical_and(ids.values >= 0, ids.values < size)
    places = arrange.concat([ids.indices[:, :-1], arithmetic.cast(arrange.expand_dims(ids.values, 1), dtypes.int64)], 1)
    shape = arrange.concat([ids.dense_shape[:-1], arrange.constant([size], dtypes.int64)], 0)
    kept = indexing.boolean_mask(places, wanted)
    return indexing.scatter_nd(kept, indexing.boolean_mask(weights.values, wanted), shape)


def _looked_up(column, table, pair):
    """The rows of an embedding for the ids of a column, combined for each example."""
    ids = pair.id_tensor
    safe = column.use_safe_embedding_lookup or ids.shape.rank is None or ids.shape.rank > 2
    lookup = embeddings.safe_embedding_lookup_sparse if safe else embeddings.embedding_lookup_sparse
    return lookup(table, ids, pair.weight_tensor, combiner=column.combiner, max_norm=column.max_norm)


class _Embedding(NamedTuple):
    categorical_column: Any
    dimension: int
    combiner: str
    initializer: Any
    ckpt_to_load_from: str | None
    tensor_name_in_ckpt: str | None
    max_norm: float | None
    trainable: bool
    use_safe_embedding_lookup: bool = True


@registered
class EmbeddingColumn(Fields, _OfCategories, _Embedding):
    """What `embedding_column` makes."""

    COLUMNS, FUNCTIONS = ("categorical_column",), ("initializer",)
    LATER = types.MappingProxyType({"use_safe_embedding_lookup": True})
    KIND = "embedding_column"

    name = property(lambda self: f"{self.categorical_column.name}_embedding")
    variable_shape = property(lambda self: TensorShape([self.dimension]))

    def transform_feature(self, transformation_cache, state_manager):
        return transformation_cache.get(self.categorical_column, state_manager)

    def create_state(self, state_manager):
        state_manager.create_variable(
            self, name="embedding_weights", shape=(self.categorical_column.num_buckets, self.dimension),
            dtype=dtypes.float32, trainable=self.trainable,
            initializer=restored(self.ckpt_to_load_from, self.tensor_name_in_ckpt) or self.initializer,
        )

    def _numbers(self, transformation_cache, state_manager):
        pair = self.categorical_column.get_sparse_tensors(transformation_cache, state_manager)
        return _looked_up(self, state_manager.get_variable(self, name="embedding_weights"), pair)


class SharedEmbeddingColumnCreator(AutoTrackable):
    """Makes columns that share a table, and keeps that table: one for each graph."""

    def __init__(
        self, dimension, initializer, ckpt_to_load_from, tensor_name_in_ckpt, num_buckets, trainable,
        name="shared_embedding_column_creator", use_safe_embedding_lookup=True,
    ):
        self._dimension, self._num_buckets, self._trainable, self._name = dimension, num_buckets, trainable, name
        self._initializer = restored(ckpt_to_load_from, tensor_name_in_ckpt) or initializer
        self._safe = use_safe_embedding_lookup
        self._tables: dict = {}

    dimension = property(lambda self: self._dimension)

    def __call__(self, categorical_column, combiner, max_norm):
        return SharedEmbeddingColumn(categorical_column, self, combiner, max_norm, self._safe)

    @property
    def embedding_weights(self):
        """The table of the current graph."""
        graph = get_default_graph()
        if graph not in self._tables:
            shape = (self._num_buckets, self._dimension)
            self._tables[graph] = get_variable(
                self._name, shape, dtypes.float32, self._initializer, trainable=self._trainable
            )
        return self._tables[graph]


class _Shared(NamedTuple):
    categorical_column: Any
    shared_embedding_column_creator: Any
    combiner: str
    max_norm: float | None
    use_safe_embedding_lookup: bool = True


@registered
class SharedEmbeddingColumn(_OfCategories, _Shared):
    """What `shared_embeddings` makes."""

    KIND = "embedding_column"

    name = property(lambda self: f"{self.categorical_column.name}_shared_embedding")
    variable_shape = property(lambda self: TensorShape([self.shared_embedding_column_creator.dimension]))

    def transform_feature(self, transformation_cache, state_manager):
        return transformation_cache.get(self.categorical_column, state_manager)

    def _numbers(self, transformation_cache, state_manager):
        pair = self.categorical_column.get_sparse_tensors(transformation_cache, state_manager)
        return _looked_up(self, self.shared_embedding_column_creator.embedding_weights, pair)

    def _refused(self, *args, **kwargs):
        raise ValueError(
            "SharedEmbeddingColumns are not supported in `linear_model` or `input_layer`. Please use `DenseFeatures` "
            "or `LinearModel` instead."
        )

    _parse_example_spec = property(_refused)
    _variable_shape = property(_refused)
    _transform_feature = _get_dense_tensor = _get_sequence_dense_tensor = _refused


class _SharedV1(NamedTuple):
    categorical_column: Any
    dimension: int
    combiner: str
    initializer: Any
    shared_embedding_collection_name: str
    ckpt_to_load_from: str | None
    tensor_name_in_ckpt: str | None
    max_norm: float | None
    trainable: bool
    use_safe_embedding_lookup: bool


class SharedEmbeddingColumnV1(_OfCategories, _SharedV1):
    """What version 1's `shared_embedding_columns` makes: the table is kept in a collection of the graph."""

    KIND = "embedding_column"
    _is_v2_column = False

    name = property(lambda self: f"{self.categorical_column.name}_shared_embedding")
    variable_shape = property(lambda self: TensorShape([self.dimension]))
    _var_scope_name = property(lambda self: self.shared_embedding_collection_name)

    def transform_feature(self, transformation_cache, state_manager):
        return transformation_cache.get(self.categorical_column, state_manager)

    def create_state(self, state_manager):
        shape, collection = [self.categorical_column.num_buckets, self.dimension], self.shared_embedding_collection_name
        advice = (
            "Suggested fix A: Choose a unique name for this collection. Suggested fix B: Do not add any variables to "
            "this collection. The feature_column library already adds a variable under the hood."
        )
        found = get_default_graph().get_collection(collection)
        if len(found) > 1:
            raise ValueError(f"Collection {found} can only contain one variable. {advice}")
        if not found:
            start = restored(self.ckpt_to_load_from, self.tensor_name_in_ckpt) or self.initializer
            options = {"dtype": dtypes.float32, "trainable": self.trainable, "initializer": start}
            table = state_manager.create_variable(self, "embedding_weights", shape, **options)
            get_default_graph().add_to_collection(collection, table)
        elif found[0].shape.as_list() != shape:
            raise ValueError(
                f"Shared embedding collection {collection} contains variable {found[0].name} of unexpected shape "
                f"{found[0].shape}. Expected shape is {tuple(shape)}. {advice}"
            )

    def _numbers(self, transformation_cache, state_manager):
        pair = self.categorical_column.get_sparse_tensors(transformation_cache, state_manager)
        self.create_state(state_manager)
        return _looked_up(self, get_default_graph().get_collection(self.shared_embedding_collection_name)[0], pair)


# --- public functions


@export("feature_column.indicator_column")
def indicator_column(categorical_column):
    """Counts how often each id of a categorical column occurs in an example, or adds up its weights.

    Args:
      categorical_column: The column of the ids.

    Returns:
      A dense column.

    Raises:
      ValueError: It is no categorical column.

    >>> hour = tf.feature_column.categorical_column_with_identity("hour", 24)
    >>> tf.feature_column.indicator_column(hour).variable_shape
    TensorShape([1, 24])
    """
    if not isinstance(categorical_column, CategoricalColumn):
        raise ValueError(f"Unsupported input type. Input must be a CategoricalColumn. Given: {categorical_column}")
    return IndicatorColumn(categorical_column)


def check_embedding(dimension, ckpt_to_load_from, tensor_name_in_ckpt, initializer, whose: str = ""):
    """The initializer of an embedding, by default normal with a deviation of 1/sqrt(dimension).

    Raises for bad arguments.
    """
    if dimension is None or dimension < 1:
        raise ValueError(f"Invalid dimension {dimension}.")
    if (ckpt_to_load_from is None) != (tensor_name_in_ckpt is None):
        raise ValueError("Must specify both `ckpt_to_load_from` and `tensor_name_in_ckpt` or none of them.")
    if initializer is not None and not callable(initializer):
        raise ValueError(f"initializer must be callable if specified.{whose}")
    return initializer or TruncatedNormal(0.0, 1 / math.sqrt(dimension))


_VECTORS = """\
Args:
  ckpt_to_load_from: A checkpoint from which the vectors start.
  tensor_name_in_ckpt: The name that they have there.
  max_norm: If given, longer vectors are scaled down to this length.
  trainable: Whether the vectors are learned.
  use_safe_embedding_lookup: Whether examples without valid ids get zeros, and ids below zero are left out.
"""


@export("feature_column.embedding_column")
@with_sections(_VECTORS)
def embedding_column(
    categorical_column, dimension, combiner="mean", initializer=None, ckpt_to_load_from=None,
    tensor_name_in_ckpt=None, max_norm=None, trainable=True, use_safe_embedding_lookup=True,
):
    """Gives each id of a categorical column a vector, which is learned.

    Args:
      categorical_column: The column of the ids.
      dimension: The length of a vector.
      combiner: How the vectors of one example become one: "mean", "sqrtn" or "sum".
      initializer: What makes the first vectors; by default normal numbers with a deviation of `1 / sqrt(dimension)`.

    Returns:
      A dense column.

    Raises:
      ValueError: `dimension` is not positive, or only one of the checkpoint's arguments is given.

    >>> hour = tf.feature_column.categorical_column_with_identity("hour", 24)
    >>> tf.feature_column.embedding_column(hour, dimension=3).name
    'hour_embedding'
    """
    whose = f" Embedding of column_name: {categorical_column.name}" if initializer is not None else ""
    start = check_embedding(dimension, ckpt_to_load_from, tensor_name_in_ckpt, initializer, whose)
    return EmbeddingColumn(
        categorical_column, dimension, combiner, start, ckpt_to_load_from, tensor_name_in_ckpt, max_norm, trainable,
        use_safe_embedding_lookup,
    )


def unequal_buckets(column, buckets: int, other) -> ValueError:
    return ValueError(
        "To use shared_embedding_column, all categorical_columns must have the same number of buckets. Given column: "
        f"{column} with buckets: {buckets} does  not match column: {other} with buckets: {other.num_buckets}"
    )


def _shared_name(categorical_columns, name: str | None) -> str:
    """The name of what columns share; raises unless they are of one kind and size."""
    if state.graph is None:
        raise RuntimeError("shared_embedding_columns are not supported when eager execution is enabled.")
    in_order = sorted(categorical_columns, key=lambda column: column.name)
    first = in_order[0]
    if not isinstance(first, CategoricalColumn):
        raise ValueError(
            f"All categorical_columns must be subclasses of CategoricalColumn. Given: {first}, of type: {type(first)}"
        )
    buckets, kind = first.num_buckets, _innermost(first)
    for other in map(_innermost, in_order[1:]):
        if not isinstance(other, type(kind)):
            raise ValueError(
                "To use shared_embedding_column, all categorical_columns must have the same type, or be "
                f"weighted_categorical_column or sequence column of the same type. Given column: {kind} of type: "
                f"{type(kind)} does not match given column: {other} of type: {type(other)}"
            )
        if other.num_buckets != buckets:
            raise unequal_buckets(kind, buckets, other)
    return name or "_".join(column.name for column in in_order) + "_shared_embedding"


def _innermost(column):
    while isinstance(column, (WeightedCategoricalColumn, SequenceCategoricalColumn)):
        column = column.categorical_column
    return column


@export("feature_column.shared_embeddings")
@with_sections(_VECTORS)
def shared_embeddings(
    categorical_columns, dimension, combiner="mean", initializer=None, shared_embedding_collection_name=None,
    ckpt_to_load_from=None, tensor_name_in_ckpt=None, max_norm=None, trainable=True, use_safe_embedding_lookup=True,
) -> list:
    """Makes embeddings of several categorical columns of one kind, which share their vectors. For graphs only.

    Args:
      categorical_columns: The columns of the ids.
      dimension: The length of a vector.
      combiner: How the vectors of one example become one: "mean", "sqrtn" or "sum".
      initializer: What makes the first vectors; by default normal numbers with a deviation of `1 / sqrt(dimension)`.
      shared_embedding_collection_name: A name of what they share; by default it is made of theirs.

    Returns:
      A list of dense columns, one for each categorical column.

    Raises:
      RuntimeError: It is called in eager mode.
      ValueError: The columns differ in kind or size.

    >>> with tf.Graph().as_default():
    ...     watched, liked = (tf.feature_column.categorical_column_with_identity(k, 9) for k in ("watched", "liked"))
    ...     [c.name for c in tf.feature_column.shared_embeddings([watched, liked], 3)]
    ['watched_shared_embedding', 'liked_shared_embedding']
    """
    name = _shared_name(categorical_columns, shared_embedding_collection_name)
    start = check_embedding(dimension, ckpt_to_load_from, tensor_name_in_ckpt, initializer)
    creator = SharedEmbeddingColumnCreator(
        dimension, start, ckpt_to_load_from, tensor_name_in_ckpt, categorical_columns[0].num_buckets, trainable, name,
        use_safe_embedding_lookup,
    )
    return [creator(column, combiner, max_norm) for column in categorical_columns]


@export("compat.v1.feature_column.shared_embedding_columns")
def shared_embedding_columns(
    categorical_columns, dimension, combiner="mean", initializer=None, shared_embedding_collection_name=None,
    ckpt_to_load_from=None, tensor_name_in_ckpt=None, max_norm=None, trainable=True, use_safe_embedding_lookup=True,
) -> list:
    """`tf.feature_column.shared_embeddings` for `input_layer`: the vectors are found again in a collection of the
    graph.

    >>> with tf.Graph().as_default():
    ...     a, b = (tf.feature_column.categorical_column_with_identity(k, 9) for k in "ab")
    ...     tf.compat.v1.feature_column.shared_embedding_columns([a, b], 3)[0].shared_embedding_collection_name
    'a_b_shared_embedding'
    """
    name = _shared_name(categorical_columns, shared_embedding_collection_name)
    start = check_embedding(dimension, ckpt_to_load_from, tensor_name_in_ckpt, initializer)
    rest = (ckpt_to_load_from, tensor_name_in_ckpt, max_norm, trainable, use_safe_embedding_lookup)
    return [SharedEmbeddingColumnV1(column, dimension, combiner, start, name, *rest) for column in categorical_columns]
