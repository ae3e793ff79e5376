"""Calibrators for INT8: the user's data determines the range of each activation.

A user's class overrides `get_batch_size`, `get_batch`, and the two cache methods. The *cache* is text: a line with the
algorithm, then `name: number` for each tensor.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from reflow.engine.entropy import entropy_ranges
from reflow.engine.enums import CalibrationAlgoType
from reflow.engine.precision import largest_numbers
from reflow.graph.func_graph import FuncGraph

HEAD = "Reflow-calibration-1"


class IInt8Calibrator:
    """The interface of a calibrator; `get_batch` returns an array per input name, or None when the data ends."""

    algorithm = CalibrationAlgoType.MINMAX_CALIBRATION
    #: how ranges follow from data: (graph, batches) -> node name -> range
    ranges = staticmethod(largest_numbers)

    def __init__(self) -> None:
        pass

    def get_algorithm(self) -> CalibrationAlgoType:
        return self.algorithm

    def get_batch_size(self) -> int:
        return 1

    def get_batch(self, names: Sequence[str]) -> Sequence[Any] | None:
        raise NotImplementedError(f"{type(self).__name__} must define get_batch(names)")

    def read_calibration_cache(self) -> bytes | None:
        return None

    def write_calibration_cache(self, cache: bytes) -> None:
        pass


class IInt8MinMaxCalibrator(IInt8Calibrator):
    """The range holds every number that was seen."""


class IInt8EntropyCalibrator2(IInt8Calibrator):
    """The range is clipped where that loses less information than coarser steps do (`entropy.py`)."""

    algorithm = CalibrationAlgoType.ENTROPY_CALIBRATION_2
    ranges = staticmethod(entropy_ranges)


class IInt8EntropyCalibrator(IInt8EntropyCalibrator2):
    """An older name of `IInt8EntropyCalibrator2`: the same calibration."""

    algorithm = CalibrationAlgoType.ENTROPY_CALIBRATION


class IInt8LegacyCalibrator(IInt8EntropyCalibrator2):
    """The oldest calibrator. It calibrates as `IInt8EntropyCalibrator2` does."""

    algorithm = CalibrationAlgoType.LEGACY_CALIBRATION


class BatchCalibrator(IInt8MinMaxCalibrator):
    """Shows the builder a list of batches."""

    def __init__(self, batches: Sequence[Sequence[Any]]) -> None:
        super().__init__()
        self.batches = list(batches)

    def get_batch(self, names: Sequence[str]) -> Sequence[Any] | None:
        return self.batches.pop(0) if self.batches else None


def calibrated(graph: FuncGraph, names: Sequence[str], calibrator: IInt8Calibrator) -> dict[str, float]:
    """node name -> largest number, from the calibrator's cache or its data.

    Raises:
      ValueError: the calibrator has neither.
    """
    cache = calibrator.read_calibration_cache()
    if cache:
        return read_cache(bytes(cache))
    batches = []
    while (batch := calibrator.get_batch(list(names))) is not None:
        if len(batch) != len(names):
            raise ValueError(f"get_batch gave {len(batch)} arrays for the {len(names)} inputs {', '.join(names)}.")
        batches.append([np.asarray(array) for array in batch])
    if not batches:
        raise ValueError(
            f"The calibrator {type(calibrator).__name__} gave no data: get_batch returned None at the first call."
        )
    ranges = calibrator.ranges(graph, batches)
    calibrator.write_calibration_cache(write_cache(ranges, calibrator.get_algorithm()))
    return ranges


def write_cache(ranges: dict[str, float], algorithm: CalibrationAlgoType) -> bytes:
    lines = [f"{HEAD} {algorithm.name}", *(f"{name}: {value!r}" for name, value in ranges.items())]
    return "\n".join(lines).encode()


def read_cache(cache: bytes) -> dict[str, float]:
    head, *lines = cache.decode().splitlines() or [""]
    if not head.startswith(HEAD):
        raise ValueError(f"This is no calibration cache: it begins with {head[:40]!r} instead of {HEAD!r}.")
    return {name: float(value) for name, value in (line.rsplit(": ", 1) for line in lines if line)}
