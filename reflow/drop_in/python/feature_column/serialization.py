"""`tensorflow.python.feature_column.serialization`: columns as dictionaries."""

from reflow.feature_column.serialization import deserialize_feature_column as deserialize_feature_column
from reflow.feature_column.serialization import deserialize_feature_columns as deserialize_feature_columns
from reflow.feature_column.serialization import registered as register_feature_column  # noqa: F401
from reflow.feature_column.serialization import serialize_feature_column as serialize_feature_column
from reflow.feature_column.serialization import serialize_feature_columns as serialize_feature_columns
