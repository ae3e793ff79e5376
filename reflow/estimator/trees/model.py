"""The model of boosted trees: an ensemble in variables, and a training step that grows it."""

from __future__ import annotations

import collections
import copy
import functools
import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from reflow.api.array import arrange, creation
from reflow.api.array.indexing import gather
from reflow.api.control.printing import group
from reflow.api.framework.core_names import control_dependencies
from reflow.api.gradients import gradients
from reflow.compat.behavior import GraphKeys
from reflow.compat.train.global_step import get_global_step
from reflow.compat.train.session_run_hook import SessionRunArgs, SessionRunHook
from reflow.compat.variable_scopes import get_variable, variable_scope
from reflow.core import dtypes
from reflow.estimator.estimator import Estimator
from reflow.estimator.heads import BinaryClassHead, Head
from reflow.estimator.spec import ModeKeys
from reflow.estimator.trees import growth
from reflow.estimator.trees.ensemble import LEAF, Ensemble, Walk, node_count, values_at, walk
from reflow.estimator.trees.features import Features, bucketized
from reflow.estimator.trees.growth import Batch, Settings, State
from reflow.ops.convert import convert_to_tensor

_SCOPE = "boosted_trees"
_DEEPEST = 16  # a tree's nodes are kept as one array, 2 ** 17 at this depth


def _variable(name: str, shape: list, fill: Any, dtype: Any = dtypes.float32, local: bool = False) -> Any:
    keys = [GraphKeys.LOCAL_VARIABLES if local else GraphKeys.GLOBAL_VARIABLES]

    # a large constant would be part of the graph and its files
    def filled(shape: Any, dtype: Any, **options: Any) -> Any:
        return creation.fill(shape, convert_to_tensor(fill, dtype))

    return get_variable(name, shape, dtype, filled, trainable=False, collections=keys)


def _ensemble_variables(settings: Settings, logits: int) -> Ensemble:
    rows, whole = [settings.n_trees, node_count(settings.max_depth)], dtypes.int32
    return Ensemble(
        _variable("feature", rows, LEAF, whole), _variable("bucket", rows, 0, whole), _variable("gain", rows, 0.0),
        _variable("value", [*rows, logits], 0.0), _variable("bias", [logits], 0.0),
        _variable("tree", [], 0, whole), _variable("layer", [], 0, whole), _variable("attempts", [], 0, whole),
    )


def _state_variables(ensemble: Ensemble, boundaries: Any, settings: Settings, seen: Features, logits: int) -> State:
    """The variables of training. The accumulators are local: a resumed run restarts its layer."""
    first = growth.SKETCH if seen.numbers else growth.CENTER if settings.center_bias else growth.GROW
    sums = [2 ** (settings.max_depth - 1), len(seen.all), seen.buckets(settings.quantiles), logits]
    points = [seen.numbers, growth.sketch_points(settings.quantiles)]
    return State(
        ensemble, boundaries, _variable("phase", [], first, dtypes.int32),
        _variable("gradients", sums, 0.0, local=True), _variable("hessians", sums, 0.0, local=True),
        _variable("sample", points, 0.0, local=True), _variable("weight", points, 0.0, local=True),
        _variable("batches", [], 0, dtypes.int32, local=True),
    )


def _flat(state: State) -> list:
    return [*state.ensemble, *state[1:]]


class _StopWhenGrown(SessionRunHook):
    """Ends training when there are all trees, or when as many layers again were tried in vain."""

    def __init__(self, ensemble: Ensemble, settings: Settings) -> None:
        self._progress = [ensemble.tree, ensemble.attempts]
        self._trees, self._attempts = settings.n_trees, 2 * settings.n_trees * settings.max_depth

    def before_run(self, run_context):
        return SessionRunArgs(self._progress)

    def after_run(self, run_context, run_values):
        # what was read in the step may be from before it
        tree, attempts = run_context.session.run(self._progress)
        if tree >= self._trees or attempts >= self._attempts:
            run_context.request_stop()


def _derivatives(loss: Any, logits: Any, size: int) -> tuple[Any, Any]:
    """The first derivatives of the loss by each logit, and the second ones by the same logit twice."""
    first = gradients(loss, logits)[0]
    second = [gradients(first[:, i], logits)[0] for i in range(size)]
    return (
        first,
        arrange.stack([creation.zeros_like(first)[:, i] if d is None else d[:, i] for i, d in enumerate(second)], 1),
    )


class BoostedTrees(Estimator):
    """What the estimators of boosted trees share."""

    def _grow(self, head: Head, feature_columns: Any, settings: Settings, model_dir: Any, config: Any) -> None:
        _check(settings)
        self._head, self._features, self._settings = head, Features(feature_columns), settings
        Estimator.__init__(self, functools.partial(self._model, explain=False), model_dir, config)

    def _model(self, features, labels, mode, explain):
        seen, settings, size = self._features, self._settings, self._head.logits_dimension
        if not isinstance(features, dict):
            raise ValueError(f"features should be a dictionary of `Tensor`s. Given type: {type(features)}")
        numbers, others = seen.read(features)
        with variable_scope(_SCOPE):
            kept = _ensemble_variables(settings, size)
            edges = _variable("boundaries", [seen.numbers, settings.quantiles], math.inf)
        ensemble, boundaries = Ensemble(*[arrange.identity(v) for v in kept]), arrange.identity(edges)
        buckets = bucketized(numbers, boundaries, others)
        way = walk(ensemble, buckets, settings.max_depth)

        def train(loss: Any) -> Any:
            with variable_scope(_SCOPE):
                variables = _state_variables(kept, edges, settings, seen, size)
            state = State(ensemble, boundaries, *[arrange.identity(v) for v in variables[2:]])
            node = gather(way.nodes[-1], growth.current_tree(ensemble, settings), axis=1)
            batch = Batch(numbers, buckets, node, *_derivatives(loss, way.logits, size))
            new = growth.stepped(state, batch, settings)
            writes = [variable.assign(value) for variable, value in zip(_flat(variables), _flat(new), strict=True)]
            with control_dependencies([group(*writes)]):
                return get_global_step().assign_add(1).op

        training = mode == ModeKeys.TRAIN
        spec = self._head.create_estimator_spec(
            features, mode, way.logits, labels, train_op_fn=train if training else None
        )
        if training:
            spec = spec._replace(training_hooks=(*spec.training_hooks, _StopWhenGrown(kept, settings)))
        return spec._replace(predictions={**spec.predictions, **_explanation(ensemble, way)}) if explain else spec

    # --- what the trees say

    def experimental_feature_importances(self, normalize: bool = False) -> dict[str, float]:
        """What the splits by each feature gained, the most important first; with `normalize` their sum is 1."""
        feature, gain = (self.get_variable_value(f"{_SCOPE}/{name}") for name in ("feature", "gain"))
        split = feature != LEAF
        if not split.any():
            raise ValueError(
                "Found empty serialized string for TreeEnsemble.You should only call this method after training."
            )
        sums = np.bincount(feature[split], gain[split], len(self._features.all))
        found: dict[str, float] = collections.defaultdict(float)
        for name, value in zip(self._features.names, sums, strict=True):
            if value:
                found[name] += float(value)
        total = sum(found.values()) if normalize else 1.0
        return collections.OrderedDict((k, v / total) for k, v in sorted(found.items(), key=lambda item: -item[1]))

    def experimental_predict_with_explanations(
        self, input_fn, predict_keys=None, hooks=None, checkpoint_path=None
    ) -> Iterator[dict]:
        """Predictions with the share of each feature: "bias" and the contributions "dfc" together are the number or the
        chance predicted."""
        if self._head.logits_dimension != 1:
            raise ValueError(
                "Explanations are only for models with one logit: regression of one number, or two classes."
            )
        twin = copy.copy(self)
        twin._model_fn = functools.partial(self._model, explain=True)
        keys = [predict_keys] if isinstance(predict_keys, str) else predict_keys
        wanted = [*keys, "dfc_features", "dfc_steps", "dfc_bias"] if keys else None
        for one in twin.predict(input_fn, wanted, hooks, checkpoint_path):
            features, steps, bias = one.pop("dfc_features"), one.pop("dfc_steps"), one.pop("dfc_bias")
            yield {**one, **self._shares(features, steps, float(bias))}

    def _shares(self, features: np.ndarray, steps: np.ndarray, bias: float) -> dict:
        path = np.cumsum(np.concatenate([[bias], steps.ravel()]))
        if isinstance(self._head, BinaryClassHead):
            path = 1.0 / (1.0 + np.exp(-path))
        sums: dict[str, float] = collections.defaultdict(float)
        for feature, step in zip(features.ravel(), np.diff(path), strict=True):
            if feature != LEAF:
                sums[self._features.names[feature]] += float(step)
        ordered = sorted(sums.items(), key=lambda item: -abs(item[1]))
        return {"bias": float(path[0]), "dfc": collections.OrderedDict(ordered)}


def _explanation(ensemble: Ensemble, way: Walk) -> dict:
    """For each example its features on the way, [trees, depth], and by how much each step changed the logit."""
    values = arrange.stack([values_at(ensemble, node)[..., 0] for node in way.nodes], 2)
    batch = arrange.shape(values)[0]
    return {
        "dfc_features": arrange.stack(way.features, 2), "dfc_steps": values[:, :, 1:] - values[:, :, :-1],
        "dfc_bias": arrange.tile(ensemble.bias, arrange.reshape(batch, [1])),
    }


def _check(settings: Settings) -> None:
    for name, value in (
        ("n_trees", settings.n_trees), ("max_depth", settings.max_depth), ("learning_rate", settings.learning_rate)
    ):
        if value <= 0:
            raise ValueError(f"{name} must be positive. Given: {value}")
    if settings.batches_per_layer is None or settings.batches_per_layer < 1:
        raise ValueError(f"n_batches_per_layer must be at least 1. Given: {settings.batches_per_layer}")
    if settings.max_depth > _DEEPEST:
        raise ValueError(
            f"max_depth must be at most {_DEEPEST}: all nodes that a tree can have are kept. "
            f"Given: {settings.max_depth}"
        )
    if settings.pruning_mode not in ("none", "pre", "post"):
        raise ValueError(f"pruning_mode must be one of none, pre, post. Given: {settings.pruning_mode}")
    if settings.pruning_mode != "none" and settings.tree_complexity <= 0:
        raise ValueError("For pruning, tree_complexity must be positive.")


def settings_of(
    n_batches_per_layer, n_trees, max_depth, learning_rate, l1_regularization, l2_regularization, tree_complexity,
    min_node_weight, center_bias, pruning_mode, quantile_sketch_epsilon, train_in_memory=False,
) -> Settings:
    """The options of an estimator.

    Training in memory gives the same trees; it is for one batch that is all there is.
    """
    if train_in_memory and n_batches_per_layer != 1:
        raise ValueError(
            "When train_in_memory is enabled, input_fn should return the entire dataset as a single batch, and "
            "n_batches_per_layer should be set as 1."
        )
    if not 0.0 < quantile_sketch_epsilon < 1.0:
        raise ValueError(f"quantile_sketch_epsilon must be between 0 and 1. Given: {quantile_sketch_epsilon}")
    return Settings(
        n_trees, max_depth, learning_rate, l1_regularization, l2_regularization, tree_complexity, min_node_weight,
        center_bias, pruning_mode, n_batches_per_layer, math.ceil(1.0 / quantile_sketch_epsilon) + 1,
    )
