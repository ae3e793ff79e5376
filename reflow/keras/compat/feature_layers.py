"""Layers on feature columns that Keras 3 dropped: `DenseFeatures` and `SequenceFeatures`.

A layer's variables are created when it is built; their names begin with the column's.
"""

from __future__ import annotations

import re

import keras

from reflow.api.array import arrange
from reflow.api.debugging import asserts
from reflow.api.framework.core_names import control_dependencies
from reflow.feature_column import serialization
from reflow.feature_column.base import (
    FeatureTransformationCache,
    KeptState,
    SequenceDenseColumn,
    check_same_batch,
    normalized,
)
from reflow.feature_column.scopes import check_dense, flat_numbers


class LayerState(KeptState):
    """Variables and tables are those of a layer."""

    def __init__(self, layer, trainable: bool = True) -> None:
        super().__init__(trainable)
        self._layer = layer

    def _made(self, feature_column, name, **options):
        full = re.sub(r"[^A-Za-z0-9_.\-]", "_", f"{feature_column.name}_{name}")  # Keras 3 rejects slashes
        kind = getattr(options["dtype"], "name", options["dtype"])
        variable = self._layer.add_weight(name=full, **{**options, "dtype": kind})
        return self._kept(full, variable)

    def add_resource(self, feature_column, name, resource):
        super().add_resource(feature_column, name, resource)
        self._kept(f"{feature_column.name}_{name}", resource)

    def _kept(self, name, thing):
        """Attributes of the layer are saved with it."""
        setattr(self._layer, f"_{name}", thing)
        return thing


class _FeatureLayer(keras.layers.Layer):
    """A layer that is called on a dictionary of features."""

    def __init__(self, feature_columns, trainable=True, name=None, **kwargs):
        super().__init__(name=name, trainable=trainable, **kwargs)
        self._columns = tuple(normalized(feature_columns))
        self._check(self._columns)
        self._state = LayerState(self, trainable)
        self._convert_input_args = False  # features may be strings, and sparse
        self._allow_non_tensor_positional_args = True
        self.built = False

    def _check(self, columns) -> None:
        raise NotImplementedError

    def build(self, input_shape=None):
        for column in self._columns:
            column.create_state(self._state)
        self.built = True

    def _cache(self, features) -> FeatureTransformationCache:
        if not isinstance(features, dict):
            raise ValueError(f"We expected a dictionary here. Instead we got: {features}")
        return FeatureTransformationCache(features)

    def get_config(self):
        return super().get_config() | {"feature_columns": serialization.serialize_feature_columns(self._columns)}

    @classmethod
    def from_config(cls, config, custom_objects=None):
        columns = serialization.deserialize_feature_columns(config["feature_columns"], custom_objects)
        return cls(**config | {"feature_columns": columns})


@keras.saving.register_keras_serializable("reflow")
class DenseFeatures(_FeatureLayer):
    """The numbers of dense columns side by side, columns in the order of their names.

    >>> price = tf.feature_column.numeric_column("price")
    >>> tf.keras.layers.DenseFeatures([price])({"price": tf.constant([[1.0], [2.0]])}).shape
    TensorShape([2, 1])
    """

    def __init__(self, feature_columns, trainable=True, name=None, partitioner=None, **kwargs):
        if partitioner is not None:
            raise ValueError("DenseFeatures: `partitioner` is not supported.")
        super().__init__(feature_columns, trainable, name, **kwargs)

    def _check(self, columns):
        check_dense(columns)

    def call(self, features, cols_to_output_tensors=None, training=None):
        cache, outputs = self._cache(features), []
        for column in self._columns:
            outputs.append(flat_numbers(column, cache, self._state))
            if cols_to_output_tensors is not None:
                cols_to_output_tensors[column] = outputs[-1]
        check_same_batch(outputs, self._columns)
        return arrange.concat(outputs, -1)


@keras.saving.register_keras_serializable("reflow")
class SequenceFeatures(_FeatureLayer):
    """The numbers of sequence columns side by side, [batch size, time, numbers], and the length of each sequence."""

    def _check(self, columns):
        for column in columns:
            if not isinstance(column, SequenceDenseColumn):
                raise ValueError(
                    "Items of feature_columns must be a <class 'SequenceDenseColumn'>. You can wrap a "
                    "sequence_categorical_column with an embedding_column or indicator_column. Given (type "
                    f"{type(column)}): {column}"
                )

    def call(self, features, training=None):
        cache, outputs, lengths = self._cache(features), [], []
        for column in self._columns:
            numbers, length = column.get_sequence_dense_tensor(cache, self._state)
            count = column.variable_shape.num_elements()  # type: ignore[attr-defined]
            steps = arrange.shape(numbers)[:2]
            outputs.append(arrange.reshape(numbers, arrange.concat([steps, [count]], 0)))
            lengths.append(length)
        check_same_batch(outputs, self._columns)
        checks = [asserts.assert_equal(lengths[0], length) for length in lengths[1:]]
        with control_dependencies([check for check in checks if check is not None]):
            return arrange.concat(outputs, -1), arrange.identity(lengths[0])
