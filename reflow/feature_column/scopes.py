"""`tf.compat.v1.feature_column.input_layer` and `linear_model`: columns whose variables belong to variable scopes."""

from __future__ import annotations

from typing import Any

from reflow.api.array import arrange
from reflow.api.export import export
from reflow.api.initializers import Zeros
from reflow.api.linalg import products
from reflow.api.math import arithmetic
from reflow.api.nn import embeddings, statistics
from reflow.api.sparse import tensors as sparse
from reflow.compat.behavior import GraphKeys, get_default_graph
from reflow.compat.partitions.variables import PartitionedVariable
from reflow.compat.variable_scopes import get_variable, get_variable_scope, variable_scope
from reflow.core import dtypes
from reflow.feature_column.base import (
    CategoricalColumn,
    DenseColumn,
    FeatureTransformationCache,
    KeptState,
    check_same_batch,
    normalized,
)
from reflow.ops.convert import convert_to_tensor


class ScopeState(KeptState):
    """Variables are created by `get_variable` in the current scope, when a column first requests them."""

    def __init__(self, weight_collections=None, trainable: bool = True) -> None:
        super().__init__(trainable)
        self._collections = list(weight_collections or ())
        if self._collections and GraphKeys.GLOBAL_VARIABLES not in self._collections:
            self._collections.append(GraphKeys.GLOBAL_VARIABLES)

    def _made(self, feature_column, name, **options):
        return get_variable(name, collections=self._collections or None, **options)

    def get_variable(self, feature_column, name):
        if name not in self._cols_to_vars_map[feature_column]:
            feature_column.create_state(self)
        return super().get_variable(feature_column, name)


def flat_numbers(column, transformation_cache, state_manager):
    """The numbers of a dense column as a matrix: [batch size, numbers of an example]."""
    tensor = column.get_dense_tensor(transformation_cache, state_manager)
    count = column.variable_shape.num_elements()
    return arrange.reshape(tensor, arrange.stack([arrange.shape(tensor)[0], count]))


def weighted_sum(column, transformation_cache, state_manager, weights, sparse_combiner: str):
    """What a column adds to the output of a linear model."""
    if not isinstance(column, CategoricalColumn):
        return products.matmul(flat_numbers(column, transformation_cache, state_manager), weights)
    ids, id_weights = column.get_sparse_tensors(transformation_cache, state_manager)
    rows = arrange.stack([ids.dense_shape[0], convert_to_tensor(-1, dtypes.int64)])
    id_weights = None if id_weights is None else sparse.reshape(id_weights, rows)
    return embeddings.safe_embedding_lookup_sparse(
        weights, sparse.reshape(ids, rows), id_weights, combiner=sparse_combiner
    )


def weights_shape(column, units: int) -> tuple[int, int]:
    """The shape of a column's weights in a linear model."""
    if isinstance(column, CategoricalColumn):
        return column.num_buckets, units
    return column.variable_shape.num_elements(), units


def _with_defaults(weight_collections) -> list:
    keys = list(weight_collections or ())
    return keys + [key for key in (GraphKeys.GLOBAL_VARIABLES, GraphKeys.MODEL_VARIABLES) if key not in keys]


def check_dense(columns) -> None:
    """Raise if a column gives no numbers."""
    for column in columns:
        if not isinstance(column, DenseColumn):
            raise ValueError(
                "Items of feature_columns must be a _DenseColumn. You can wrap a categorical column with an "
                f"embedding_column or indicator_column. Given: {column}"
            )


def _variables_of_scope() -> list:
    return get_default_graph().get_collection(GraphKeys.GLOBAL_VARIABLES, get_variable_scope().name + "/")


@export("compat.v1.feature_column.input_layer")
def input_layer(
    features, feature_columns, weight_collections=None, trainable=True, cols_to_vars=None, cols_to_output_tensors=None
):
    """The numbers of dense columns side by side, as a matrix of [batch size, numbers], columns in the order of their
    names.

    `cols_to_vars` and `cols_to_output_tensors` are dictionaries that are filled with the variables and the output of
    each column.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     price = tf.feature_column.numeric_column("price")
    ...     session.run(tf.compat.v1.feature_column.input_layer({"price": [1.0, 2.0]}, [price])).tolist()
    [[1.0], [2.0]]
    """
    columns = normalized(feature_columns)
    check_dense(columns)
    for column in columns:
        column._variable_shape  # noqa: B018 - raises for a column that input_layer cannot take
    collections = _with_defaults(weight_collections)
    with variable_scope(None, default_name="input_layer"):
        cache, outputs = FeatureTransformationCache(features), []
        for column in columns:
            with variable_scope(None, default_name=column._var_scope_name):
                outputs.append(flat_numbers(column, cache, ScopeState(collections, trainable)))
                if cols_to_vars is not None:
                    cols_to_vars[column] = _variables_of_scope()
                if cols_to_output_tensors is not None:
                    cols_to_output_tensors[column] = outputs[-1]
        check_same_batch(outputs, columns)
        return arrange.concat(outputs, 1)


@export("compat.v1.feature_column.linear_model")
def linear_model(
    features, feature_columns, units=1, sparse_combiner="sum", weight_collections=None, trainable=True,
    cols_to_vars=None,
):
    """A linear prediction, [batch size, units]: weights for each column, which may be dense or categorical, and a bias.

    `sparse_combiner` says how the weights of several ids are combined; `cols_to_vars` is filled with the variables of
    each column, and the bias under "bias".

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     price = tf.feature_column.numeric_column("price")
    ...     prediction = tf.compat.v1.feature_column.linear_model({"price": [1.0, 2.0]}, [price])
    ...     session.run(tf.compat.v1.global_variables_initializer())
    ...     session.run(prediction).tolist()
    [[0.0], [0.0]]
    """
    columns = normalized(feature_columns)
    for column in columns:
        if not isinstance(column, (DenseColumn, CategoricalColumn)):
            raise ValueError(
                f"Items of feature_columns must be either a _DenseColumn or _CategoricalColumn. Given: {column}"
            )
    collections = _with_defaults(weight_collections)
    options: Any = {"initializer": Zeros(), "trainable": trainable, "collections": collections}
    with variable_scope(None, default_name="linear_model"):
        cache, sums = FeatureTransformationCache(features), []
        for column in columns:
            with variable_scope(None, default_name=column._var_scope_name):
                weights = get_variable("weights", weights_shape(column, units), **options)
                sums.append(weighted_sum(column, cache, ScopeState(collections, trainable), weights, sparse_combiner))
                if cols_to_vars is not None:
                    cols_to_vars[column] = _variables_of_scope()
        check_same_batch(sums, columns)
        bias = get_variable("bias_weights", [units], **options)
        if cols_to_vars is not None:
            cols_to_vars["bias"] = bias._get_variable_list() if isinstance(bias, PartitionedVariable) else [bias]
        return statistics.bias_add(arithmetic.add_n(sums), bias)
