"""Calibrators."""

import pytest

import reflow.engine as trt
from reflow.engine.calibration import calibrated, read_cache, write_cache
from tests.engine.engines import X, network


class Data(trt.IInt8EntropyCalibrator2):
    def __init__(self, batches):
        super().__init__()
        self.batches, self.cache = list(batches), None

    def get_batch(self, names):
        assert names == ["x"]
        return self.batches.pop() if self.batches else None

    def read_calibration_cache(self):
        return self.cache

    def write_calibration_cache(self, cache):
        self.cache = bytes(cache)


def test_ranges_come_from_the_data_and_then_from_the_cache():
    data = Data([[X]])
    first = calibrated(network().graph(), ["x"], data)
    assert first["x"] > 0 and data.cache.startswith(b"Reflow-calibration-1 ENTROPY_CALIBRATION_2")
    assert calibrated(network().graph(), ["x"], data) == first == read_cache(data.cache)


def test_a_calibrator_without_data():
    with pytest.raises(ValueError, match="Data gave no data"):
        calibrated(network().graph(), ["x"], Data([]))
    with pytest.raises(ValueError, match="2 arrays for the 1 inputs"):
        calibrated(network().graph(), ["x"], Data([[X, X]]))


def test_int8_without_a_calibrator():
    settings = trt.IBuilderConfig()
    settings.set_flag(trt.BuilderFlag.INT8)
    with pytest.raises(ValueError, match="INT8 needs a calibrator"):
        trt.Builder(trt.Logger()).build_serialized_network(network(2), settings)


def test_a_cache_that_is_none():
    with pytest.raises(ValueError, match="no calibration cache"):
        read_cache(b"something else")
    assert read_cache(write_cache({"a: b": 0.1}, trt.CalibrationAlgoType.MINMAX_CALIBRATION)) == {"a: b": 0.1}
