"""Builders."""

import jax
import pytest

import reflow.engine as trt
from reflow.engine import program
from tests.engine.engines import QUIET, config, engine, network


def test_a_profile_is_needed_where_lengths_are_open():
    with pytest.raises(ValueError, match="profile 0 must say min, opt and max"):
        trt.Builder(QUIET).build_serialized_network(network(), trt.IBuilderConfig())


@pytest.mark.parametrize(("name", "shape", "words"), [("x", (2, 2, 8, 8), "its own is"), ("z", (1,), "has not: z")])
def test_profiles_that_do_not_fit(name, shape, words):
    settings = config()
    settings.profiles[0].set_shape(name, shape, shape, shape)
    with pytest.raises(ValueError, match=words):
        trt.Builder(QUIET).build_serialized_network(network(), settings)


def test_a_workspace_that_is_too_small():
    settings = config()
    settings.set_memory_pool_limit(trt.MemoryPoolType.WORKSPACE, 1)
    with pytest.raises(ValueError, match="bytes of workspace; the limit is 1"):
        trt.Builder(QUIET).build_serialized_network(network(), settings)


class Listening(trt.ILogger):
    def __init__(self):
        super().__init__()
        self.warnings = []

    def log(self, severity, msg):
        if severity == trt.ILogger.WARNING:
            self.warnings.append(msg)


def test_settings_without_effect_are_named():
    settings, logger = config(trt.BuilderFlag.REFIT), Listening()
    settings.builder_optimization_level = 2
    trt.Builder(logger).build_serialized_network(network(), settings)
    assert logger.warnings == ["without effect here: the flag REFIT, builder_optimization_level"]


@pytest.mark.parametrize("kept", [True, False])
def test_without_tf32_products_are_exact(monkeypatch, kept):
    settings, seen, exported = config(), [], program.exported

    def watched(*args):
        seen.append(jax.config.jax_default_matmul_precision)
        return exported(*args)

    monkeypatch.setattr(program, "exported", watched)
    if not kept:
        settings.clear_flag(trt.BuilderFlag.TF32)
    trt.Builder(QUIET).build_serialized_network(network(), settings)
    assert seen == [None if kept else "highest"]


def test_progress_and_timing_cache():
    settings, seen = config(), []
    settings.progress = lambda part, what: seen.append(part)
    settings.set_timing_cache(trt.ITimingCache())
    trt.Builder(QUIET).build_serialized_network(network(), settings)
    assert seen[0] == 0.0 and seen[-1] == 1.0 and seen == sorted(seen)
    assert len(settings.get_timing_cache().times) >= 1


def test_the_report():
    report = engine().meta["report"]
    assert report["passes"]["scales folded into weights"] == 1
    assert [layer["LayerType"] for layer in report["layers"]].count("Conv2D") == 1
    assert trt.Builder(QUIET).is_network_supported(network(), config())
