"""The canned estimators with a user-chosen head."""

from __future__ import annotations

from reflow.api.export import export
from reflow.api.nn import activations
from reflow.estimator.models import Baseline, Deep, Linear, WideDeep


@export("estimator.LinearEstimator", "compat.v1.estimator.LinearEstimator")
class LinearEstimator(Linear):
    """A linear model of feature columns under a head.

    >>> x = tf.feature_column.numeric_column("x")
    >>> tf.estimator.LinearEstimator(tf.estimator.MultiLabelHead(3), [x], model_dir="m").model_dir
    'm'
    """

    def __init__(
        self, head, feature_columns, model_dir=None, optimizer="Ftrl", config=None, sparse_combiner="sum",
        warm_start_from=None,
    ):
        self._linear(head, feature_columns, optimizer, sparse_combiner, (model_dir, config, warm_start_from))


@export("estimator.DNNEstimator", "compat.v1.estimator.DNNEstimator")
class DNNEstimator(Deep):
    """A network with hidden layers of these sizes, on feature columns, under a head.

    >>> x = tf.feature_column.numeric_column("x")
    >>> tf.estimator.DNNEstimator(tf.estimator.MultiLabelHead(3), [10], [x], model_dir="m").model_dir
    'm'
    """

    def __init__(
        self, head, hidden_units, feature_columns, model_dir=None, optimizer="Adagrad", activation_fn=activations.relu,
        dropout=None, config=None, warm_start_from=None, batch_norm=False,
    ):
        rest = (model_dir, config, warm_start_from)
        self._dnn(head, feature_columns, hidden_units, optimizer, activation_fn, dropout, batch_norm, rest)


@export("estimator.DNNLinearCombinedEstimator", "compat.v1.estimator.DNNLinearCombinedEstimator")
class DNNLinearCombinedEstimator(WideDeep):
    """The sum of a linear model and a network under a head.

    >>> x = tf.feature_column.numeric_column("x")
    >>> tf.estimator.DNNLinearCombinedEstimator(tf.estimator.RegressionHead(), "m", [x]).model_dir
    'm'
    """

    def __init__(
        self, head, model_dir=None, linear_feature_columns=None, linear_optimizer="Ftrl", dnn_feature_columns=None,
        dnn_optimizer="Adagrad", dnn_hidden_units=None, dnn_activation_fn=activations.relu, dnn_dropout=None,
        config=None, batch_norm=False, linear_sparse_combiner="sum",
    ):
        wide, deep = (linear_feature_columns, linear_optimizer), (dnn_feature_columns, dnn_optimizer)
        rest = (model_dir, config, None)
        self._both(
            head, wide, deep, dnn_hidden_units, dnn_activation_fn, dnn_dropout, batch_norm, linear_sparse_combiner, rest
        )


@export("estimator.BaselineEstimator", "compat.v1.estimator.BaselineEstimator")
class BaselineEstimator(Baseline):
    """A bias alone under a head.

    >>> tf.estimator.BaselineEstimator(tf.estimator.RegressionHead(), "m").model_dir
    'm'
    """

    def __init__(self, head, model_dir=None, optimizer="Ftrl", config=None):
        self._bias(head, optimizer, (model_dir, config, None))
