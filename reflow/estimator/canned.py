"""Canned estimators: linear models, deep networks, both combined, and baselines that use only the labels.

Those of `tf.estimator` average the loss over a batch, those of `tf.compat.v1.estimator` sum it; `loss_reduction`
overrides this.
"""

from __future__ import annotations

from typing import TypeVar

from reflow.api.export import export, export_value
from reflow.api.nn import activations
from reflow.compat.losses import Reduction
from reflow.estimator.heads import RegressionHead, class_head
from reflow.estimator.models import Baseline, Canned, Deep, Linear, WideDeep

Kind = TypeVar("Kind", bound=type[Canned])


def _version_1(canned: Kind) -> Kind:
    """The estimator of `tf.compat.v1` for one of `tf.estimator`.

    The same but for the defaults of loss and learning rate.
    """
    doc = (canned.__doc__ or "").replace("tf.estimator.", "tf.compat.v1.estimator.")
    facts = {"__doc__": doc, "__module__": __name__, "REDUCTION": Reduction.SUM, "DNN_RATE": 0.05}
    name = f"compat.v1.estimator.{canned.__name__}"
    return export_value(type(f"{canned.__name__}V1", (canned,), facts), name)  # type: ignore[return-value]


@export("estimator.LinearClassifier")
class LinearClassifier(Linear):
    """Classes by a linear model of feature columns.

    >>> tf.estimator.LinearClassifier([tf.feature_column.numeric_column("x")], model_dir="m").model_dir
    'm'
    """

    def __init__(
        self, feature_columns, model_dir=None, n_classes=2, weight_column=None, label_vocabulary=None,
        optimizer="Ftrl", config=None, warm_start_from=None, loss_reduction=None, sparse_combiner="sum",
    ):
        head = class_head(n_classes, weight_column, label_vocabulary, self._reduced(loss_reduction))
        self._linear(head, feature_columns, optimizer, sparse_combiner, (model_dir, config, warm_start_from))


LinearClassifierV1 = _version_1(LinearClassifier)


@export("estimator.DNNClassifier")
class DNNClassifier(Deep):
    """Classes by a network with hidden layers of these sizes, on feature columns.

    >>> tf.estimator.DNNClassifier([10], [tf.feature_column.numeric_column("x")], model_dir="m").model_dir
    'm'
    """

    def __init__(
        self, hidden_units, feature_columns, model_dir=None, n_classes=2, weight_column=None, label_vocabulary=None,
        optimizer="Adagrad", activation_fn=activations.relu, dropout=None, config=None, warm_start_from=None,
        loss_reduction=None, batch_norm=False,
    ):
        head = class_head(n_classes, weight_column, label_vocabulary, self._reduced(loss_reduction))
        rest = (model_dir, config, warm_start_from)
        self._dnn(head, feature_columns, hidden_units, optimizer, activation_fn, dropout, batch_norm, rest)


DNNClassifierV1 = _version_1(DNNClassifier)


@export("estimator.DNNLinearCombinedClassifier")
class DNNLinearCombinedClassifier(WideDeep):
    """Classes by the sum of a linear model and a network, each with its columns and its optimizer.

    >>> tf.estimator.DNNLinearCombinedClassifier("m", [tf.feature_column.numeric_column("x")]).model_dir
    'm'
    """

    def __init__(
        self, model_dir=None, linear_feature_columns=None, linear_optimizer="Ftrl", dnn_feature_columns=None,
        dnn_optimizer="Adagrad", dnn_hidden_units=None, dnn_activation_fn=activations.relu, dnn_dropout=None,
        n_classes=2, weight_column=None, label_vocabulary=None, config=None, warm_start_from=None,
        loss_reduction=None, batch_norm=False, linear_sparse_combiner="sum",
    ):
        head = class_head(n_classes, weight_column, label_vocabulary, self._reduced(loss_reduction))
        wide, deep = (linear_feature_columns, linear_optimizer), (dnn_feature_columns, dnn_optimizer)
        rest = (model_dir, config, warm_start_from)
        self._both(
            head, wide, deep, dnn_hidden_units, dnn_activation_fn, dnn_dropout, batch_norm, linear_sparse_combiner, rest
        )


DNNLinearCombinedClassifierV1 = _version_1(DNNLinearCombinedClassifier)


@export("estimator.BaselineClassifier")
class BaselineClassifier(Baseline):
    """Classes as they are on average, whatever the features.

    >>> tf.estimator.BaselineClassifier("m").model_dir
    'm'
    """

    def __init__(
        self, model_dir=None, n_classes=2, weight_column=None, label_vocabulary=None, optimizer="Ftrl", config=None,
        loss_reduction=None,
    ):
        head = class_head(n_classes, weight_column, label_vocabulary, self._reduced(loss_reduction))
        self._bias(head, optimizer, (model_dir, config, None))


BaselineClassifierV1 = _version_1(BaselineClassifier)


@export("estimator.LinearRegressor")
class LinearRegressor(Linear):
    """Numbers by a linear model of feature columns.

    >>> tf.estimator.LinearRegressor([tf.feature_column.numeric_column("x")], model_dir="m").model_dir
    'm'
    """

    def __init__(
        self, feature_columns, model_dir=None, label_dimension=1, weight_column=None, optimizer="Ftrl", config=None,
        warm_start_from=None, loss_reduction=None, sparse_combiner="sum",
    ):
        head = RegressionHead(label_dimension, weight_column, self._reduced(loss_reduction))
        self._linear(head, feature_columns, optimizer, sparse_combiner, (model_dir, config, warm_start_from))


LinearRegressorV1 = _version_1(LinearRegressor)


@export("estimator.DNNRegressor")
class DNNRegressor(Deep):
    """Numbers by a network with hidden layers of these sizes, on feature columns.

    >>> tf.estimator.DNNRegressor([10], [tf.feature_column.numeric_column("x")], model_dir="m").model_dir
    'm'
    """

    def __init__(
        self, hidden_units, feature_columns, model_dir=None, label_dimension=1, weight_column=None,
        optimizer="Adagrad", activation_fn=activations.relu, dropout=None, config=None, warm_start_from=None,
        loss_reduction=None, batch_norm=False,
    ):
        head = RegressionHead(label_dimension, weight_column, self._reduced(loss_reduction))
        rest = (model_dir, config, warm_start_from)
        self._dnn(head, feature_columns, hidden_units, optimizer, activation_fn, dropout, batch_norm, rest)


DNNRegressorV1 = _version_1(DNNRegressor)


@export("estimator.DNNLinearCombinedRegressor")
class DNNLinearCombinedRegressor(WideDeep):
    """Numbers by the sum of a linear model and a network, each with its columns and its optimizer.

    >>> tf.estimator.DNNLinearCombinedRegressor("m", [tf.feature_column.numeric_column("x")]).model_dir
    'm'
    """

    def __init__(
        self, model_dir=None, linear_feature_columns=None, linear_optimizer="Ftrl", dnn_feature_columns=None,
        dnn_optimizer="Adagrad", dnn_hidden_units=None, dnn_activation_fn=activations.relu, dnn_dropout=None,
        label_dimension=1, weight_column=None, config=None, warm_start_from=None, loss_reduction=None,
        batch_norm=False, linear_sparse_combiner="sum",
    ):
        head = RegressionHead(label_dimension, weight_column, self._reduced(loss_reduction))
        wide, deep = (linear_feature_columns, linear_optimizer), (dnn_feature_columns, dnn_optimizer)
        rest = (model_dir, config, warm_start_from)
        self._both(
            head, wide, deep, dnn_hidden_units, dnn_activation_fn, dnn_dropout, batch_norm, linear_sparse_combiner, rest
        )


DNNLinearCombinedRegressorV1 = _version_1(DNNLinearCombinedRegressor)


@export("estimator.BaselineRegressor")
class BaselineRegressor(Baseline):
    """Numbers as they are on average, whatever the features.

    >>> tf.estimator.BaselineRegressor("m").model_dir
    'm'
    """

    def __init__(
        self, model_dir=None, label_dimension=1, weight_column=None, optimizer="Ftrl", config=None,
        loss_reduction=None,
    ):
        head = RegressionHead(label_dimension, weight_column, self._reduced(loss_reduction))
        self._bias(head, optimizer, (model_dir, config, None))


BaselineRegressorV1 = _version_1(BaselineRegressor)
