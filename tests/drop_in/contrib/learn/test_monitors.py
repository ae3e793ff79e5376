"""Monitors: asked at each step, and able to stop training."""

import numpy as np
import pytest

import reflow as tf
from reflow.drop_in.contrib.index import contrib

v1 = tf.compat.v1


learn = contrib.learn
X, Y = np.ones([4, 1], np.float32), np.full(4, 3.0, np.float32)


def estimator(**config):
    def model_fn(features, labels, mode):
        weight = v1.get_variable("w", initializer=0.0)
        loss = tf.reduce_mean((weight - labels) ** 2, name="cost")
        return (
            features, loss,
            contrib.layers.optimize_loss(loss, contrib.framework.get_global_step(), 0.25, "SGD", name="o"),
        )

    return learn.Estimator(model_fn, config=learn.RunConfig(**config))


def test_monitors_see_steps_and_values():
    capture = learn.monitors.CaptureVariable("w", every_n=2, first_n=1)
    stop = learn.monitors.StopAtStep(num_steps=5)
    fitted = estimator().fit(
        X, Y, steps=100, monitors=[capture, stop, learn.monitors.PrintTensor(["w"]), learn.monitors.LoggingTrainable()]
    )
    assert fitted.get_variable_value("global_step") == 5 and sorted(capture.values) == [1, 3, 5]
    with pytest.raises(ValueError, match="One of num_steps or last_step"):
        learn.monitors.StopAtStep()


def test_validation_stops_training_that_does_not_help():
    monitor = learn.monitors.ValidationMonitor(
        X, Y, every_n_steps=1, early_stopping_rounds=3, early_stopping_metric_minimize=False, check_interval_secs=0
    )  # fmt: skip
    fitted = estimator(save_checkpoints_steps=1, save_checkpoints_secs=None).fit(X, Y, steps=50, monitors=[monitor])
    assert monitor.early_stopped and fitted.get_variable_value("global_step") < 10
    assert monitor.best_value >= 0 and monitor.best_step is not None and "loss" in monitor.best_metrics
    with pytest.raises(ValueError, match="Either x or input_fn"):
        learn.monitors.ValidationMonitor()


def test_some_monitors_are_hooks():
    names = [type(hook).__name__ for hook in (learn.monitors.StepCounter(), learn.monitors.NanLoss("loss"))]
    assert names == ["StepCounterHook", "NanTensorHook"]
    (adapter,) = learn.monitors.replace_monitors_with_hooks([learn.monitors.BaseMonitor()], None)
    assert type(adapter).__name__ == "RunHookAdapterForMonitors"
