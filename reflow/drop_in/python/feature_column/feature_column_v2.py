"""`tensorflow.python.feature_column.feature_column_v2`.

The classes of columns, and what a column of one's own needs.
"""

from reflow.feature_column.base import CategoricalColumn as CategoricalColumn
from reflow.feature_column.base import DenseColumn as DenseColumn
from reflow.feature_column.base import FeatureColumn as FeatureColumn
from reflow.feature_column.base import FeatureTransformationCache as FeatureTransformationCache
from reflow.feature_column.base import SequenceDenseColumn as SequenceDenseColumn
from reflow.feature_column.base import StateManager as StateManager
from reflow.feature_column.base import normalized as _normalize_feature_columns  # noqa: F401
from reflow.feature_column.base import to_sparse_input as _to_sparse_input_and_drop_ignore_values  # noqa: F401
from reflow.feature_column.categorical import HashedCategoricalColumn as HashedCategoricalColumn
from reflow.feature_column.categorical import IdentityCategoricalColumn as IdentityCategoricalColumn
from reflow.feature_column.categorical import VocabularyFileCategoricalColumn as VocabularyFileCategoricalColumn
from reflow.feature_column.categorical import VocabularyListCategoricalColumn as VocabularyListCategoricalColumn
from reflow.feature_column.combined import CrossedColumn as CrossedColumn
from reflow.feature_column.combined import WeightedCategoricalColumn as WeightedCategoricalColumn
from reflow.feature_column.dense import EmbeddingColumn as EmbeddingColumn
from reflow.feature_column.dense import IndicatorColumn as IndicatorColumn
from reflow.feature_column.dense import SharedEmbeddingColumn as SharedEmbeddingColumn
from reflow.feature_column.dense import SharedEmbeddingColumnCreator as SharedEmbeddingColumnCreator
from reflow.feature_column.dense import shared_embeddings as shared_embedding_columns_v2  # noqa: F401
from reflow.feature_column.numeric import BucketizedColumn as BucketizedColumn
from reflow.feature_column.numeric import NumericColumn as NumericColumn
from reflow.feature_column.scopes import weighted_sum
from reflow.feature_column.sequence import SequenceCategoricalColumn as SequenceCategoricalColumn


def is_feature_column_v2(feature_columns) -> bool:
    """Whether all columns follow the protocol of version 2."""
    return all(isinstance(column, FeatureColumn) and column._is_v2_column for column in feature_columns)


def _transform_features_v2(features, feature_columns, state_manager) -> dict:
    """What each column makes of features."""
    cache = FeatureTransformationCache(features)
    return {column: cache.get(column, state_manager) for column in _normalize_feature_columns(feature_columns)}


def _create_weighted_sum(column, transformation_cache, state_manager, sparse_combiner, weight_var):
    return weighted_sum(column, transformation_cache, state_manager, weight_var, sparse_combiner)
