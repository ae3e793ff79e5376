"""NVIDIA GPUs, as far as that can be said without one: what the environment leaves, and how memory is shared."""

import pytest

from reflow.devices import cuda


@pytest.mark.parametrize(
    ("found", "wanted", "left"),
    [
        (2, None, 2), (2, "", 0), (2, "0", 1), (2, "1,0", 2), (2, "-1", 0), (2, "0,-1,1", 1), (4, "0,9,1", 1),
        (2, "GPU-abc", 1), (0, "0", 0),
    ],
)
def test_visible_devices(found, wanted, left):
    assert cuda.visible(found, wanted) == left


@pytest.mark.parametrize(
    ("text", "growth"), [("true", True), ("0", False), ("TRUE", True), ("", None), ("maybe", None)]
)
def test_growth_by_the_environment(monkeypatch, text, growth):
    monkeypatch.setenv("TF_FORCE_GPU_ALLOW_GROWTH", text)
    assert cuda.forced_growth() is growth


def test_parts_of_memory():
    assert cuda.fraction(8 << 30, 2 << 30) == 0.25 and cuda.fraction(1 << 30, 2 << 30) == 1.0
    assert 0.5 <= cuda.fraction(1 << 30, None) < cuda.fraction(80 << 30, None) < 1.0


def test_jax_settings_may_leave_no_gpu(monkeypatch):
    monkeypatch.setattr(cuda, "_hardware", lambda: 2)
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    monkeypatch.delenv("JAX_PLATFORMS", raising=False)
    driver = cuda.Cuda()
    assert driver.possible() and driver.count() == 2
    monkeypatch.setenv("JAX_PLATFORMS", "cpu")
    assert driver.possible() and driver.count() == 0
