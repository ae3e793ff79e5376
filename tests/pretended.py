"""GPUs where there are none: JAX's CPU devices 1, 2, … play the part, so that placement can be tested anywhere."""

import jax
import pytest

from reflow.devices import placement, settings
from reflow.devices.cuda import Cuda


class Pretended(Cuda):
    """JAX's CPU devices 1, 2, … as GPUs."""

    def __init__(self, count):
        self.number, self.started_with = count, None

    def possible(self):
        return self.number > 0

    def count(self):
        return self.number

    def details(self, index):
        return {"device_name": f"pretended {index}"}

    def devices(self, indices, growth, limit):
        self.started_with = (indices, growth, limit)
        return [jax.devices("cpu")[1 + i] for i in indices]

    def hide(self):
        self.started_with = "hidden"


@pytest.fixture
def machine(monkeypatch):
    """`machine(n)`: from now on this machine has n GPUs."""

    def has(count):
        driver = Pretended(count)
        monkeypatch.setattr(settings, "driver", driver)
        placement.reset()
        return driver

    placement.reset()
    yield has
    import reflow as tf

    monkeypatch.undo()
    tf.debugging.set_log_device_placement(False)
    placement.reset()
    assert not placement.placing() or settings.driver.possible()
