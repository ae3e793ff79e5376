"""Hooks that end training by what evaluations found."""

import pytest

import reflow as tf
from tests.estimator.test_estimators import custom, inputs

experimental = tf.estimator.experimental


def test_training_ends_when_a_metric_says_so(tmp_path):
    estimator = custom(tmp_path)
    every_step = {"run_every_secs": None, "run_every_steps": 1}
    evaluator = experimental.InMemoryEvaluatorHook(estimator, inputs(), every_n_iter=2)
    estimator.train(
        inputs(20), [evaluator, experimental.stop_if_lower_hook(estimator, "error", 1.3, min_steps=1, **every_step)]
    )
    metrics = experimental.read_eval_metrics(estimator.eval_dir())
    assert list(metrics)[:3] == [0, 2, 4] and set(metrics[2]) == {"error", "loss"}
    last = int(estimator.get_variable_value("global_step"))
    first = next(step for step, values in metrics.items() if step and values["error"] < 1.3)
    assert first <= last <= first + 2 < 20

    for hook, ends in (
        (experimental.stop_if_no_increase_hook(estimator, "error", max_steps_without_increase=2, **every_step), True),
        (experimental.stop_if_no_decrease_hook(estimator, "error", max_steps_without_decrease=2, **every_step), False),
        (experimental.stop_if_higher_hook(estimator, "error", threshold=0.95, **every_step), True),
    ):
        before = int(estimator.get_variable_value("global_step"))
        estimator.train(inputs(9), [hook], steps=3)
        assert int(estimator.get_variable_value("global_step")) - before == (1 if ends else 3)


def test_what_the_hooks_refuse(tmp_path):
    with pytest.raises(TypeError, match="must have type `tf.estimator.Estimator`"):
        experimental.make_early_stopping_hook(None, lambda: True)
    with pytest.raises(ValueError, match="Only one of"):
        experimental.make_early_stopping_hook(custom(tmp_path), lambda: True, 60, 10)
    with pytest.raises(ValueError, match="invalid every_n_iter"):
        experimental.InMemoryEvaluatorHook(custom(tmp_path), inputs(), every_n_iter=0)
