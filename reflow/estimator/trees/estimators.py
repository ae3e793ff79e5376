"""`tf.estimator.BoostedTreesClassifier` and related estimators: trees grow layer by layer, each fitting the residual of
the previous ones.
"""

from __future__ import annotations

from reflow.api.export import export
from reflow.compat.losses import Reduction
from reflow.estimator.heads import RegressionHead, class_head
from reflow.estimator.trees.model import BoostedTrees, settings_of

_REDUCTION = Reduction.SUM_OVER_BATCH_SIZE


@export("estimator.BoostedTreesClassifier", "compat.v1.estimator.BoostedTreesClassifier")
class BoostedTreesClassifier(BoostedTrees):
    """Classification by boosted trees on feature columns: numeric, bucketized, categorical and indicator columns.

    Args:
      feature_columns: the columns.
      n_batches_per_layer: how many batches are used for one layer of a tree: usually all of the data.
      model_dir, n_classes, weight_column, label_vocabulary, config: as for the other estimators.
      n_trees, max_depth: how many trees, and how many layers of splits each may have. Training ends when they are
        there.
      learning_rate: how much of a tree's values counts.
      l1_regularization, l2_regularization: draw the values of leaves towards 0.
      tree_complexity: what a split must gain; for `pruning_mode` "pre" (do not split) and "post" (cut off when the tree
        is done).
      min_node_weight: the second derivatives of the loss, on average, that either side of a split must have.
      center_bias: begin with the constant that fits best.
      quantile_sketch_epsilon: numeric columns have as many buckets as the inverse of this.
      train_in_memory: says that there is one batch.

    >>> x = tf.feature_column.numeric_column("x")
    >>> tf.estimator.BoostedTreesClassifier([x], n_batches_per_layer=1, model_dir="m").model_dir
    'm'
    """

    def __init__(
        self, feature_columns, n_batches_per_layer, model_dir=None, n_classes=2, weight_column=None,
        label_vocabulary=None, n_trees=100, max_depth=6, learning_rate=0.1, l1_regularization=0.0,
        l2_regularization=0.0, tree_complexity=0.0, min_node_weight=0.0, config=None, center_bias=False,
        pruning_mode="none", quantile_sketch_epsilon=0.01, train_in_memory=False,
    ):
        settings = settings_of(
            n_batches_per_layer, n_trees, max_depth, learning_rate, l1_regularization, l2_regularization,
            tree_complexity, min_node_weight, center_bias, pruning_mode, quantile_sketch_epsilon, train_in_memory,
        )
        self._grow(
            class_head(n_classes, weight_column, label_vocabulary, _REDUCTION), feature_columns, settings, model_dir,
            config,
        )


@export("estimator.BoostedTreesRegressor", "compat.v1.estimator.BoostedTreesRegressor")
class BoostedTreesRegressor(BoostedTrees):
    """Numbers by boosted trees on feature columns. The arguments are those of `tf.estimator.BoostedTreesClassifier`.

    >>> x = tf.feature_column.numeric_column("x")
    >>> tf.estimator.BoostedTreesRegressor([x], n_batches_per_layer=1, model_dir="m").model_dir
    'm'
    """

    def __init__(
        self, feature_columns, n_batches_per_layer, model_dir=None, label_dimension=1, weight_column=None, n_trees=100,
        max_depth=6, learning_rate=0.1, l1_regularization=0.0, l2_regularization=0.0, tree_complexity=0.0,
        min_node_weight=0.0, config=None, center_bias=False, pruning_mode="none", quantile_sketch_epsilon=0.01,
        train_in_memory=False,
    ):
        settings = settings_of(
            n_batches_per_layer, n_trees, max_depth, learning_rate, l1_regularization, l2_regularization,
            tree_complexity, min_node_weight, center_bias, pruning_mode, quantile_sketch_epsilon, train_in_memory,
        )
        self._grow(
            RegressionHead(label_dimension, weight_column, _REDUCTION), feature_columns, settings, model_dir, config
        )


@export("estimator.BoostedTreesEstimator", "compat.v1.estimator.BoostedTreesEstimator")
class BoostedTreesEstimator(BoostedTrees):
    """Boosted trees under a head. The head says how examples are weighed; `weight_column` must be None or the head's.

    >>> x = tf.feature_column.numeric_column("x")
    >>> tf.estimator.BoostedTreesEstimator([x], 1, tf.estimator.BinaryClassHead(), model_dir="m").model_dir
    'm'
    """

    def __init__(
        self, feature_columns, n_batches_per_layer, head, model_dir=None, weight_column=None, n_trees=100, max_depth=6,
        learning_rate=0.1, l1_regularization=0.0, l2_regularization=0.0, tree_complexity=0.0, min_node_weight=0.0,
        config=None, center_bias=False, pruning_mode="none", quantile_sketch_epsilon=0.01,
    ):
        if weight_column is not None and weight_column != head.weight_column:
            raise ValueError(f"weight_column must be the head's ({head.weight_column}). Given: {weight_column}")
        settings = settings_of(
            n_batches_per_layer, n_trees, max_depth, learning_rate, l1_regularization, l2_regularization,
            tree_complexity, min_node_weight, center_bias, pruning_mode, quantile_sketch_epsilon,
        )
        self._grow(head, feature_columns, settings, model_dir, config)
