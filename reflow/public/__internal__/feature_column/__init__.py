# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.__internal__.feature_column`."""

from reflow.feature_column.base import DenseColumn as DenseColumn
from reflow.feature_column.base import FeatureColumn as FeatureColumn
from reflow.feature_column.base import FeatureTransformationCache as FeatureTransformationCache
from reflow.feature_column.base import SequenceDenseColumn as SequenceDenseColumn
from reflow.feature_column.layer_state import LayerState as StateManager
from reflow.feature_column.serialization import deserialize_feature_column as deserialize_feature_column
from reflow.feature_column.serialization import serialize_feature_column as serialize_feature_column

__all__ = [
    "DenseColumn", "FeatureColumn", "FeatureTransformationCache", "SequenceDenseColumn", "StateManager",
    "deserialize_feature_column", "serialize_feature_column",
]
