"""Build options: `IBuilderConfig`, `IOptimizationProfile`, `ITimingCache`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from reflow.engine.enums import BuilderFlag, MemoryPoolType, ProfilingVerbosity

Shape = tuple[int, ...]


class IOptimizationProfile:
    """The shapes that inputs may have: at least `min`, at most `max`; the engine is compiled for `opt`."""

    def __init__(self) -> None:
        self._shapes: dict[str, tuple[Shape, Shape, Shape]] = {}

    def set_shape(self, input: str, min: Sequence[int], opt: Sequence[int], max: Sequence[int]) -> None:  # noqa: A002
        low, best, high = (tuple(int(n) for n in shape) for shape in (min, opt, max))
        if not len(low) == len(best) == len(high) or not all(a <= b <= c for a, b, c in zip(low, best, high)):
            raise ValueError(
                f"The shapes of {input!r} must be min <= opt <= max in each place; received {low}, {best}, {high}."
            )
        self._shapes[input] = (low, best, high)

    def get_shape(self, input: str) -> list[Shape]:  # noqa: A002
        return list(self._shapes[input]) if input in self._shapes else []

    @property
    def inputs(self) -> list[str]:
        return list(self._shapes)

    def __bool__(self) -> bool:
        return True


class ITimingCache:
    """Times of alternatives, by what was timed: a builder that finds one here need not measure."""

    def __init__(self, content: bytes = b"") -> None:
        try:
            self.times: dict[str, float] = json.loads(bytes(content)) if content else {}
        except ValueError as error:
            raise ValueError(f"This is no timing cache of {len(content)} bytes: {error}") from error

    def serialize(self) -> bytes:
        return json.dumps(self.times, sort_keys=True).encode()

    def combine(self, other: ITimingCache, ignore_mismatch: bool = False) -> bool:
        """Take the other's times; of what both have, the smaller unless `ignore_mismatch`, which takes the other's."""
        for key, value in other.times.items():
            self.times[key] = value if ignore_mismatch else min(value, self.times.get(key, value))
        return True

    def reset(self) -> bool:
        self.times.clear()
        return True


class IBuilderConfig:
    """Precision, memory, profiles, calibrator and timing cache of one build."""

    def __init__(self) -> None:
        self.flags = 1 << BuilderFlag.TF32
        self.int8_calibrator: Any = None
        self.profiling_verbosity = ProfilingVerbosity.LAYER_NAMES_ONLY
        self.builder_optimization_level = 3
        self.profiles: list[IOptimizationProfile] = []
        self.progress: Any = None  # called with (part done from 0 to 1, what is done now)
        self._limits: dict[MemoryPoolType, int] = {}
        self._timing_cache: ITimingCache | None = None

    def set_flag(self, flag: BuilderFlag) -> None:
        self.flags |= 1 << flag

    def clear_flag(self, flag: BuilderFlag) -> None:
        self.flags &= ~(1 << flag)

    def get_flag(self, flag: BuilderFlag) -> bool:
        return bool(self.flags >> flag & 1)

    def set_memory_pool_limit(self, pool: MemoryPoolType, pool_size: int) -> None:
        """Bytes that the program may use besides its inputs, outputs and weights; more is a build error."""
        self._limits[pool] = int(pool_size)

    def get_memory_pool_limit(self, pool: MemoryPoolType) -> int:
        return self._limits.get(pool, 0)

    @property
    def max_workspace_size(self) -> int:
        return self.get_memory_pool_limit(MemoryPoolType.WORKSPACE)

    @max_workspace_size.setter
    def max_workspace_size(self, size: int) -> None:
        self.set_memory_pool_limit(MemoryPoolType.WORKSPACE, size)

    def add_optimization_profile(self, profile: IOptimizationProfile) -> int:
        self.profiles.append(profile)
        return len(self.profiles) - 1

    num_optimization_profiles = property(lambda self: len(self.profiles))

    def create_timing_cache(self, serialized_timing_cache: bytes) -> ITimingCache:
        return ITimingCache(serialized_timing_cache)

    def set_timing_cache(self, cache: ITimingCache, ignore_mismatch: bool = False) -> bool:
        self._timing_cache = cache
        return True

    def get_timing_cache(self) -> ITimingCache | None:
        return self._timing_cache
