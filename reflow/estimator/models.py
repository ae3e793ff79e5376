"""The parts of canned estimators: linear models, deep networks, both combined, and a bias only."""

from __future__ import annotations

import math
from typing import Any

from reflow.api.array import arrange
from reflow.api.control.printing import group
from reflow.api.framework.core_names import control_dependencies
from reflow.api.initializers import Zeros
from reflow.api.math import arithmetic
from reflow.compat import losses as v1_losses
from reflow.compat.behavior import GraphKeys, get_default_graph
from reflow.compat.initializers import GlorotUniform
from reflow.compat.layers import core
from reflow.compat.train.global_step import get_global_step
from reflow.compat.variable_scopes import get_variable, variable_scope
from reflow.estimator.estimator import Estimator
from reflow.estimator.heads import Head
from reflow.estimator.optimizers import optimizer_of
from reflow.estimator.spec import ModeKeys
from reflow.feature_column.scopes import input_layer, linear_model

Reduction = v1_losses.Reduction


def _deep(features, mode, columns, hidden_units, activation, dropout, batch_norm, units) -> Any:
    """The logits of a network on the numbers of columns."""
    training = mode == ModeKeys.TRAIN
    with variable_scope("dnn"):
        with variable_scope("input_from_feature_columns"):
            net = input_layer(features, columns)
        for i, size in enumerate(hidden_units):
            with variable_scope(f"hiddenlayer_{i}") as scope:
                net = core.dense(net, size, activation, kernel_initializer=GlorotUniform(), name=scope)
                if dropout is not None and training:
                    net = core.dropout(net, dropout, training=True)
                if batch_norm:
                    net = core.batch_normalization(net, momentum=0.999, training=training, name=f"batchnorm_{i}")
        with variable_scope("logits") as scope:
            return core.dense(net, units, kernel_initializer=GlorotUniform(), name=scope)


def _wide(features, columns, units, sparse_combiner) -> Any:
    """The logits of a linear model of columns."""
    with variable_scope("linear"):
        return linear_model(features, columns, units, sparse_combiner)


def _minimize(loss, parts: list) -> Any:
    """One step of each optimizer on the variables of its scope, then of the counter."""
    graph = get_default_graph()
    with control_dependencies(graph.get_collection(GraphKeys.UPDATE_OPS)):
        steps = [
            optimizer.minimize(loss, var_list=graph.get_collection(GraphKeys.TRAINABLE_VARIABLES, scope))
            for optimizer, scope in parts
        ]
    with control_dependencies([group(*steps)]):
        return get_global_step().assign_add(1).op


class Canned(Estimator):
    """An estimator whose model is composed of parts.

    Functions from features to logits, each with an optimizer and a scope.
    """

    REDUCTION, DNN_RATE = Reduction.SUM_OVER_BATCH_SIZE, 0.001

    def _reduced(self, loss_reduction) -> str:
        """The reduction of the loss, under Keras' or version 1's name."""
        words = {
            "sum_over_batch_size": Reduction.SUM_OVER_BATCH_SIZE, "sum": Reduction.SUM, None: self.REDUCTION,
            "auto": self.REDUCTION,
        }
        chosen = words.get(loss_reduction, loss_reduction)
        if chosen not in Reduction.all() or chosen == Reduction.NONE:
            raise ValueError(f"Invalid loss_reduction: {loss_reduction}")
        return chosen

    def _start(self, head: Head, model, make_optimizers, model_dir, config, warm_start_from) -> None:
        def model_fn(features, labels, mode, config):
            if not isinstance(features, dict):
                raise ValueError(f"features should be a dictionary of `Tensor`s. Given type: {type(features)}")
            logits = model(features, mode, head.logits_dimension)
            train = (lambda loss: _minimize(loss, make_optimizers())) if mode == ModeKeys.TRAIN else None
            return head.create_estimator_spec(features, mode, logits, labels, train_op_fn=train)

        Estimator.__init__(self, model_fn, model_dir, config, warm_start_from=warm_start_from)


def _rate(columns, most: float) -> float:
    return min(most, 1.0 / math.sqrt(len(list(columns))))


class Linear(Canned):
    """A linear model."""

    def _linear(self, head, columns, optimizer, sparse_combiner, rest) -> None:
        self._start(
            head, lambda features, mode, units: _wide(features, columns, units, sparse_combiner),
            lambda: [(optimizer_of(optimizer, _rate(columns, 0.2)), "linear")], *rest,
        )


class Deep(Canned):
    """A deep network."""

    def _dnn(self, head, columns, hidden_units, optimizer, activation_fn, dropout, batch_norm, rest) -> None:
        self._start(
            head,
            lambda features, mode, units: _deep(
                features, mode, columns, hidden_units, activation_fn, dropout, batch_norm, units
            ),
            lambda: [(optimizer_of(optimizer, self.DNN_RATE), "dnn")],
            *rest,
        )


class WideDeep(Canned):
    """A linear model and a network, whose outputs are added."""

    def _both(self, head, wide, deep, hidden_units, activation_fn, dropout, batch_norm, sparse_combiner, rest) -> None:
        (linear_columns, linear_optimizer), (dnn_columns, dnn_optimizer) = wide, deep
        if not linear_columns and not dnn_columns:
            raise ValueError("Either linear_feature_columns or dnn_feature_columns must be defined.")
        if dnn_columns and not hidden_units:
            raise ValueError("dnn_hidden_units must be defined when dnn_feature_columns is specified.")

        def model(features, mode, units):
            parts = []
            if dnn_columns:
                parts.append(
                    _deep(features, mode, dnn_columns, hidden_units, activation_fn, dropout, batch_norm, units)
                )
            if linear_columns:
                parts.append(_wide(features, linear_columns, units, sparse_combiner))
            return arithmetic.add_n(parts)

        def parts():
            found = [(optimizer_of(dnn_optimizer, 0.001), "dnn")] if dnn_columns else []
            if linear_columns:
                found.append((optimizer_of(linear_optimizer, _rate(linear_columns, 0.005)), "linear"))
            return found

        self._start(head, model, parts, *rest)


class Baseline(Canned):
    """A bias."""

    def _bias(self, head, optimizer, rest) -> None:
        def model(features, mode, units):
            with variable_scope("baseline"):
                bias = get_variable("bias", [units], initializer=Zeros())
            batch = arrange.shape(next(iter(features.values())))[0]
            return arrange.tile(arrange.expand_dims(bias, 0), arrange.stack([batch, 1]))

        self._start(head, model, lambda: [(optimizer_of(optimizer, 0.3), "baseline")], *rest)
