"""Configurations."""

import pytest

import reflow.engine as trt


def test_flags_and_limits():
    config = trt.IBuilderConfig()
    assert config.get_flag(trt.BuilderFlag.TF32) and not config.get_flag(trt.BuilderFlag.FP16)
    config.set_flag(trt.BuilderFlag.FP16)
    config.clear_flag(trt.BuilderFlag.TF32)
    assert config.get_flag(trt.BuilderFlag.FP16) and not config.get_flag(trt.BuilderFlag.TF32)
    config.max_workspace_size = 1 << 20
    assert config.get_memory_pool_limit(trt.MemoryPoolType.WORKSPACE) == 1 << 20


def test_profiles_are_ordered():
    profile = trt.IOptimizationProfile()
    profile.set_shape("x", (1, 2), (3, 2), (4, 2))
    assert (
        profile.get_shape("x") == [(1, 2), (3, 2), (4, 2)] and profile.get_shape("y") == [] and profile.inputs == ["x"]
    )
    with pytest.raises(ValueError, match="min <= opt <= max"):
        profile.set_shape("x", (2, 2), (1, 2), (4, 2))


def test_timing_caches():
    cache = trt.IBuilderConfig().create_timing_cache(b"")
    cache.times["a"] = 2.0
    other = trt.ITimingCache(b'{"a": 1.0, "b": 3.0}')
    assert cache.combine(other) and cache.times == {"a": 1.0, "b": 3.0}
    assert trt.ITimingCache(cache.serialize()).times == cache.times
    with pytest.raises(ValueError, match="no timing cache"):
        trt.ITimingCache(b"nonsense")
    assert cache.reset() and not cache.times
