"""Which devices exist, and what may be set before the runtime starts."""

import pytest

import reflow as tf
from reflow.devices import settings


def test_physical_logical_and_visible(machine):
    machine(2)
    assert [d.name for d in settings.physical_devices()] == [
        f"/physical_device:{n}" for n in ("CPU:0", "GPU:0", "GPU:1")
    ]
    assert [settings.ordinal(d) for d in settings.physical_devices("GPU")] == [0, 1]
    assert settings.visible_devices("GPU") == settings.physical_devices("GPU")
    assert not settings.started()
    assert [d.name for d in settings.logical_devices()] == ["/device:CPU:0", "/device:GPU:0", "/device:GPU:1"]
    assert settings.started()


def test_a_tensor_starts_the_runtime(machine):
    machine(1)
    assert not settings.started()
    tf.constant(1)
    assert settings.started()
    with pytest.raises(RuntimeError, match="initialized"):
        tf.config.set_visible_devices([], "GPU")


def test_hidden_devices_have_no_logical_ones(machine):
    machine(2)
    first, second = settings.physical_devices("GPU")
    tf.config.set_visible_devices([second], "GPU")
    assert settings.visible_devices("GPU") == [second]
    assert [p for _, p in settings.logical_and_physical() if p.device_type == "GPU"] == [second]


def test_settings_are_forgotten(machine):
    machine(1)
    tf.config.set_visible_devices([], "GPU")
    settings.forget_settings()
    assert len(settings.visible_devices("GPU")) == 1
