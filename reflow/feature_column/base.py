"""Feature columns: the protocol that all kinds share, and the cache in which they find each other's tensors.

A *feature column* is a value (a named tuple) that says how one or several features become tensors. It has three stages:
`parse_example_spec` reads serialized examples; `transform_feature` computes from raw features, or from other columns'
results, once per batch, because a `FeatureTransformationCache` keeps the result; and one of three forms passes it to a
model: a *dense* column as numbers per example, a *categorical* column as ids (with weights) in a sparse tensor, a
*sequence* column as numbers per time step.

A `StateManager` creates and keeps the variables and tables of a column, in a layer or in a variable scope.

Version 1 has the same protocol with an underscore before each name and without managers: `VersionOneMethods` maps each
of its methods to the one of version 2.
"""

from __future__ import annotations

import abc
import collections
import inspect
from collections.abc import Iterable, Sequence
from typing import Any

from reflow.api.array import arrange, indexing
from reflow.api.debugging import asserts
from reflow.api.export import export
from reflow.api.framework.core_names import control_dependencies
from reflow.api.math import arithmetic
from reflow.api.sparse import tensors as sparse
from reflow.core import dtypes
from reflow.core.sparse import SparseTensor
from reflow.function.control_flow import cond
from reflow.ops.convert import convert_to_tensor


class StateManager:
    """Keeps what columns remember: variables and tables, by column and name."""

    def create_variable(
        self, feature_column, name, shape, dtype=None, trainable=True, use_resource=True, initializer=None
    ):
        """Make a variable of a column."""
        raise NotImplementedError("StateManager.create_variable")

    def add_variable(self, feature_column, var):
        """Keep a variable that a column made."""
        raise NotImplementedError("StateManager.add_variable")

    def get_variable(self, feature_column, name):
        """The variable of a column."""
        raise NotImplementedError("StateManager.get_var")

    def add_resource(self, feature_column, name, resource):
        """Keep a table of a column."""
        raise NotImplementedError("StateManager.add_resource")

    def has_resource(self, feature_column, name):
        """Whether there is a table of this name."""
        raise NotImplementedError("StateManager.has_resource")

    def get_resource(self, feature_column, name):
        """The table of a column."""
        raise NotImplementedError("StateManager.get_resource")


class KeptState(StateManager):
    """A manager that remembers; how a variable is made is left to `_made`.

    Its attributes have TensorFlow's names, because layers of Keras 2 derive a manager from one (`layer_state.py`)."""

    def __init__(self, trainable: bool = True) -> None:
        self._trainable = trainable
        self._cols_to_vars_map: dict = collections.defaultdict(dict)
        self._cols_to_resources_map: dict = collections.defaultdict(dict)

    def _made(self, feature_column, name, **options):
        raise NotImplementedError

    def create_variable(
        self, feature_column, name, shape, dtype=None, trainable=True, use_resource=True, initializer=None
    ):
        if name in self._cols_to_vars_map[feature_column]:
            raise ValueError("Variable already exists.")
        options = {
            "shape": shape, "dtype": dtype, "trainable": self._trainable and trainable, "initializer": initializer
        }
        variable = self._cols_to_vars_map[feature_column][name] = self._made(feature_column, name, **options)
        return variable

    def add_variable(self, feature_column, var):
        self._cols_to_vars_map[feature_column][var.name] = var

    def get_variable(self, feature_column, name):
        if name not in self._cols_to_vars_map[feature_column]:
            raise ValueError("Variable does not exist.")
        return self._cols_to_vars_map[feature_column][name]

    def add_resource(self, feature_column, name, resource):
        self._cols_to_resources_map[feature_column][name] = resource

    def has_resource(self, feature_column, name):
        return name in self._cols_to_resources_map[feature_column]

    def get_resource(self, feature_column, name):
        if not self.has_resource(feature_column, name):
            raise ValueError("Resource does not exist.")
        return self._cols_to_resources_map[feature_column][name]


class VersionOneMethods:
    """Version 1's names of what a column does. `inputs.get(key)` there is a cache without a state manager."""

    _is_v2_column = True

    @property
    def _var_scope_name(self) -> str:
        return self.name

    def _reset_config(self) -> None:
        """Nothing: a column of version 1 could be told to forget what it had computed."""

    name: Any
    parse_example_spec: Any
    transform_feature: Any
    get_dense_tensor: Any
    get_sparse_tensors: Any
    get_sequence_dense_tensor: Any

    _parse_example_spec = property(lambda self: self.parse_example_spec)
    _variable_shape = property(lambda self: self.variable_shape)
    _num_buckets = property(lambda self: self.num_buckets)

    def _transform_feature(self, inputs):
        return self.transform_feature(Builder.around(inputs), None)

    def _get_dense_tensor(self, inputs, weight_collections=None, trainable=None):
        return self.get_dense_tensor(Builder.around(inputs), scope_state(weight_collections, trainable))

    def _get_sparse_tensors(self, inputs, weight_collections=None, trainable=None):
        return self.get_sparse_tensors(Builder.around(inputs), None)

    def _get_sequence_dense_tensor(self, inputs, weight_collections=None, trainable=None):
        return self.get_sequence_dense_tensor(Builder.around(inputs), scope_state(weight_collections, trainable))


def scope_state(weight_collections, trainable) -> StateManager:
    """Version 1's state: variables of the variable scope that is open."""
    from reflow.feature_column.scopes import ScopeState  # it needs columns

    return ScopeState(weight_collections, True if trainable is None else trainable)


class Builder:
    """A transformation cache in front of version 1's builder, which is asked without a state manager."""

    def __init__(self, inputs) -> None:
        self._inputs = inputs

    @staticmethod
    def around(inputs) -> Any:
        return inputs if isinstance(inputs, FeatureTransformationCache) else Builder(inputs)

    def get(self, key, state_manager=None, training=None):
        return self._inputs.get(key)


@export("__internal__.feature_column.FeatureColumn")
class FeatureColumn(VersionOneMethods, abc.ABC):
    """How one feature, or several, become tensors."""

    @property
    @abc.abstractmethod
    def name(self) -> str:
        """A name, from the keys of the features."""

    def __lt__(self, other):
        return str(self) < str(other)

    def __gt__(self, other):
        return str(self) > str(other)

    @abc.abstractmethod
    def transform_feature(self, transformation_cache, state_manager):
        """The tensor that the column computes; what it needs it gets from the cache."""

    @property
    @abc.abstractmethod
    def parse_example_spec(self) -> dict:
        """The features of a serialized example that the column reads, for `tf.io.parse_example`."""

    def create_state(self, state_manager) -> None:
        """Make the variables of the column; most have none."""

    @property
    @abc.abstractmethod
    def parents(self) -> list:
        """The columns and keys that this column computes from."""

    def get_config(self) -> dict:
        """The column as a dictionary of plain values."""
        raise NotImplementedError("Must be implemented in subclasses.")

    @classmethod
    def from_config(cls, config, custom_objects=None, columns_by_name=None):
        """The column of such a dictionary."""
        raise NotImplementedError("Must be implemented in subclasses.")


@export("__internal__.feature_column.DenseColumn")
class DenseColumn(FeatureColumn):
    """A column that gives numbers per example."""

    @property
    @abc.abstractmethod
    def variable_shape(self):
        """The shape of the numbers of one example."""

    @abc.abstractmethod
    def get_dense_tensor(self, transformation_cache, state_manager):
        """The numbers, [batch size] + variable_shape."""


class CategoricalColumn(FeatureColumn):
    """A column that gives ids, as a sparse tensor."""

    IdWeightPair = collections.namedtuple("IdWeightPair", ("id_tensor", "weight_tensor"))

    @property
    @abc.abstractmethod
    def num_buckets(self) -> int:
        """The number of ids, which are between 0 and this."""

    def get_sparse_tensors(self, transformation_cache, state_manager):
        """The ids, and their weights or None."""
        return CategoricalColumn.IdWeightPair(transformation_cache.get(self, state_manager), None)


@export("__internal__.feature_column.SequenceDenseColumn")
class SequenceDenseColumn(FeatureColumn):
    """A column that gives numbers per time step of each example."""

    TensorSequenceLengthPair = collections.namedtuple("TensorSequenceLengthPair", ("dense_tensor", "sequence_length"))

    @abc.abstractmethod
    def get_sequence_dense_tensor(self, transformation_cache, state_manager):
        """The numbers, [batch size, time] + variable_shape, and the length of each sequence."""


@export("__internal__.feature_column.FeatureTransformationCache")
class FeatureTransformationCache:
    """Raw features and columns' results, each computed once.

    >>> price = tf.feature_column.numeric_column("price")
    >>> cache = FeatureTransformationCache({"price": tf.constant([1, 2])})
    >>> cache.get(price, None).numpy().tolist()
    [[1.0], [2.0]]
    """

    def __init__(self, features: dict) -> None:
        self._features = features.copy()
        self._tensors: dict = {}

    def get(self, key, state_manager, training=None):
        """The tensor of a feature (by its key) or of a column."""
        if key in self._tensors:
            return self._tensors[key]
        if key in self._features:
            tensor = self._tensors[key] = _at_least_rank_2(key, self._features[key])
            return tensor
        if isinstance(key, str):
            raise ValueError(f"Feature {key} is not in features dictionary.")
        if not isinstance(key, FeatureColumn):
            raise TypeError(f'"key" must be either a "str" or "FeatureColumn". Provided: {key}')
        takes_training = "training" in inspect.signature(key.transform_feature).parameters
        options = {"training": training} if takes_training else {}
        tensor = key.transform_feature(self, state_manager, **options)
        if tensor is None:
            raise ValueError(f"Column {key.name} is not supported.")
        self._tensors[key] = tensor
        return tensor


def dense_or_sparse(value):
    """A value as a tensor, unless it is a sparse one."""
    return value if isinstance(value, SparseTensor) else convert_to_tensor(value)


def _at_least_rank_2(key, value):
    """A raw feature; a vector becomes a matrix with one column."""
    tensor = dense_or_sparse(value)
    rank = tensor.shape.rank
    if rank == 0:
        raise ValueError(f"Feature (key: {key}) cannot have rank 0. Given: {tensor}")
    if rank is not None:
        return _as_column(tensor) if rank == 1 else tensor
    ranks = arrange.rank(tensor)
    message = f"Feature (key: {key}) cannot have rank 0. Given: {tensor}"
    check = asserts.assert_positive(ranks, message=message)
    with control_dependencies([check]):
        return cond(arithmetic.equal(ranks, 1), lambda: _as_column(tensor), lambda: arrange.identity(tensor))


def _as_column(tensor):
    if isinstance(tensor, SparseTensor):
        return sparse.reshape(tensor, arrange.stack([tensor.dense_shape[0], convert_to_tensor(1, dtypes.int64)]))
    return arrange.expand_dims(tensor, -1)


def to_sparse_input(value, ignore_value=None) -> SparseTensor:
    """A sparse tensor as it is; of a dense one the entries that are not `ignore_value`: by default "", -1 or 0."""
    tensor = dense_or_sparse(value)
    if isinstance(tensor, SparseTensor):
        return tensor
    if ignore_value is None:
        ignore_value = "" if tensor.dtype is dtypes.string else -1 if tensor.dtype.is_integer else 0
    ignored = convert_to_tensor(ignore_value, tensor.dtype) if tensor.dtype is dtypes.string else arithmetic.cast(
        ignore_value, tensor.dtype
    )
    indices = arithmetic.where(arithmetic.not_equal(tensor, ignored))
    shape = arrange.shape(tensor, out_type=dtypes.int64)
    return SparseTensor(indices, indexing.gather_nd(tensor, indices), shape)


# --- checks


def check_key(key) -> None:
    """Raise unless the key of a feature is a string."""
    if not isinstance(key, str):
        raise ValueError(f"key must be a string. Got: type {type(key)}. Given key: {key}.")


def check_string_or_int(dtype, prefix: str) -> None:
    """Raise unless ids can be made of this dtype."""
    if dtype is not dtypes.string and not dtype.is_integer:
        raise ValueError(f"{prefix} dtype must be string or integer. dtype: {dtype}.")


def normalized(feature_columns) -> list:
    """The columns in the order of their names, which must differ; one column alone is a list of one."""
    if isinstance(feature_columns, FeatureColumn):
        feature_columns = [feature_columns]
    if isinstance(feature_columns, dict):
        raise ValueError("Expected feature_columns to be iterable, found dict.")
    columns, by_name = list(feature_columns), dict[str, FeatureColumn]()
    for column in columns:
        if not isinstance(column, FeatureColumn):
            raise ValueError(
                f"Items of feature_columns must be a FeatureColumn. Given (type {type(column)}): {column}."
            )
    if not columns:
        raise ValueError("feature_columns must not be empty.")
    for column in columns:
        if column.name in by_name:
            raise ValueError(
                f"Duplicate feature column name found for columns: {column} and {by_name[column.name]}. This usually "
                "means that these columns refer to same base feature. Either one must be discarded or a duplicated but "
                "renamed item must be inserted in features dict."
            )
        by_name[column.name] = column
    return sorted(columns, key=lambda column: column.name)


def check_same_batch(tensors: Sequence, columns: Sequence) -> None:
    """Raise if the columns' batch sizes are known and differ."""
    known = [(t.shape[0], c) for t, c in zip(tensors, columns, strict=True) if t.shape[0] is not None]
    for size, column in known[1:]:
        if size != known[0][0]:
            raise ValueError(
                "Batch size (first dimension) of each feature must be same. Batch size of columns "
                f"({known[0][1].name}, {column.name}): ({known[0][0]}, {size})"
            )


@export("feature_column.make_parse_example_spec", "compat.v1.feature_column.make_parse_example_spec")
def make_parse_example_spec(feature_columns: Iterable) -> dict:
    """Returns the features that columns read from a serialized example: what `tf.io.parse_example` takes.

    Args:
      feature_columns: Feature columns.

    Returns:
      A dictionary from keys to features such as `tf.io.FixedLenFeature`.

    Raises:
      ValueError: Something is no feature column, or two columns read one feature in different ways.

    >>> tf.feature_column.make_parse_example_spec([tf.feature_column.numeric_column("price")])
    {'price': FixedLenFeature(shape=(1,), dtype=tf.float32, default_value=None)}
    """
    result: dict = {}
    for column in feature_columns:
        if not isinstance(column, FeatureColumn):
            raise ValueError(f"All feature_columns must be FeatureColumn instances. Given: {column}")
        spec = column.parse_example_spec
        for key, value in spec.items():
            if key in result and value != result[key]:
                raise ValueError(
                    f"feature_columns contain different parse_spec for key {key}. Given {value} and {result[key]}"
                )
        result |= spec
    return result
