"""Optimizers that scale the loss because a program asks for graphs in half precision: what TensorFlow says and does."""

import pytest

import reflow as tf

v1 = tf.compat.v1
enable = v1.mixed_precision.enable_mixed_precision_graph_rewrite
disable = v1.mixed_precision.disable_mixed_precision_graph_rewrite


@pytest.fixture(autouse=True)
def as_before():
    yield
    disable()


def asked_for():
    return tf.config.optimizer.get_experimental_options().get("auto_mixed_precision", False)


def test_the_loss_is_scaled():
    v = tf.Variable(1.0)
    opt = enable(v1.train.GradientDescentOptimizer(0.25), 128.0)
    assert isinstance(opt, v1.train.experimental.MixedPrecisionLossScaleOptimizer)
    assert opt._loss_scale().numpy() == 128.0 and asked_for()
    opt.minimize(lambda: v * 2.0, var_list=[v])
    assert v.numpy() == 0.5
    assert tf.__internal__.train.is_mixed_precision_graph_rewrite_enabled()
    disable()
    assert not asked_for() and not tf.__internal__.train.is_mixed_precision_graph_rewrite_enabled()


def test_optimizers_that_a_library_wraps():
    class Own:
        pass

    tf.__internal__.mixed_precision.register_loss_scale_wrapper(Own, lambda opt, scale: ("wrapped", opt, scale), tuple)
    own = Own()
    assert enable(own, 2.0) == ("wrapped", own, 2.0)
    from reflow.api.framework.keras_hooks import registered

    del registered["loss_scale_wrappers"][Own]


def test_what_is_refused():
    with pytest.raises(ValueError, match='"opt" must be an instance of a tf.train.Optimizer or a tf.keras.optim'):
        enable(1)
    scaled = v1.train.experimental.MixedPrecisionLossScaleOptimizer(v1.train.GradientDescentOptimizer(1.0), 2.0)
    with pytest.raises(ValueError, match='"opt" must not already be an instance of a MixedPrecisionLossScaleOptimizer'):
        enable(scaled)
    tf.__internal__.train.set_using_mixed_precision_policy(True)
    try:
        with pytest.raises(ValueError, match="the global Keras dtype Policy has been set to a mixed precision policy"):
            enable(v1.train.GradientDescentOptimizer(1.0))
    finally:
        tf.__internal__.train.set_using_mixed_precision_policy(False)
    assert not asked_for()
