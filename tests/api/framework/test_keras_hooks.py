"""What Keras 2 registers."""

import reflow as tf
from reflow.api.framework import keras_hooks

internal = tf.__internal__


def test_what_is_registered_is_remembered(monkeypatch):
    monkeypatch.setattr(keras_hooks, "registered", {})
    internal.register_load_model_function(len)
    internal.tracking.register_session_provider(max)
    internal.tracking.register_session_provider(min)
    internal.mixed_precision.register_loss_scale_wrapper(int, float)
    internal.train.set_using_mixed_precision_policy(True)
    assert keras_hooks.registered == {
        "load_model": len, "session_provider": max, "loss_scale_wrappers": {int: (float, float)},
        "mixed_precision_policy": True,
    }  # fmt: skip
    assert internal.train.is_mixed_precision_graph_rewrite_enabled() is False
    with internal.load_context("options"):
        assert keras_hooks.registered["load_options"] == "options"
    assert keras_hooks.registered["load_options"] is None
