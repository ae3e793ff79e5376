"""The classes of columns by their private names."""

import reflow as tf
from reflow.drop_in.python.feature_column import feature_column_v2 as private


def test_what_makes_columns_makes_these_classes():
    price = tf.feature_column.numeric_column("price")
    assert isinstance(price, private.NumericColumn) and private.is_feature_column_v2([price])
    assert not private.is_feature_column_v2(["price"])
    features = {"price": tf.constant([1.0])}
    assert private._transform_features_v2(features, [price], None)[price].numpy().tolist() == [[1.0]]
    cache = private.FeatureTransformationCache(features)
    assert private._create_weighted_sum(price, cache, None, "sum", tf.constant([[3.0]])).numpy().tolist() == [[3.0]]
