"""Precisions."""

import jax
import numpy as np
import pytest

import reflow.engine as trt
from reflow.engine import builder
from reflow.engine.precision import largest_numbers
from reflow.engine.rewrite import optimised
from reflow.engine.tactics import seconds_of
from tests.engine.engines import QUIET, X, config, expected, network

FP16 = trt.BuilderFlag.FP16


def build(made, *flags, calibrator=None):
    settings = config(*flags)
    settings.int8_calibrator = calibrator
    return trt.Builder(QUIET).build_engine(made, settings)


def test_largest_numbers_of_samples():
    found = largest_numbers(network().graph(), [[X], [X * 2]])
    assert found["x"] == np.abs(X).max() * 2


def test_half_precision_is_near_and_says_what_stayed():
    engine = build(network(), FP16)
    kinds = {layer["LayerType"]: layer["Precision"] for layer in engine.meta["report"]["layers"]}
    assert kinds["Conv2D"] == kinds["MatMul"] == "float16" and kinds["Softmax"] == "float32"
    np.testing.assert_allclose(engine.create_execution_context().run({"x": X})["y"], expected(), atol=1e-2)


def test_a_layer_that_would_overflow_stays_in_fp32():
    made = network(gain=3e5)
    engine = build(made, FP16)
    kept = engine.meta["report"]["kept in FP32"]
    assert any("Conv" in name and why.startswith("its numbers reach") for name, why in kept.items())
    result = engine.create_execution_context().run({"x": X})["y"]
    np.testing.assert_allclose(result, expected(gain=3e5), atol=1e-2)


def test_a_layer_that_the_user_keeps():
    made = network()
    made.get_layer(4).precision = trt.float32
    kept = build(made, FP16).meta["report"]["kept in FP32"]
    assert kept["FullyConnected_4/MatMul"] == "asked for"


class Data(trt.IInt8MinMaxCalibrator):
    def __init__(self):
        super().__init__()
        self.left = [X, X]

    def get_batch(self, names):
        return [self.left.pop()] if self.left else None


def test_int8_products_are_integers_and_near():
    engine = build(network(), trt.BuilderFlag.INT8, calibrator=Data())
    assert [n.rpartition("/")[2] for n in engine.meta["report"]["int8"]] == ["Conv2D", "MatMul"]
    assert {w.dtype.name for w in engine.weights} >= {"int8"}
    result = engine.create_execution_context().run({"x": X})["y"]
    np.testing.assert_allclose(result, expected(), atol=3e-2)
    assert (result.argmax(1) == expected().argmax(1)).all()


@pytest.mark.parametrize(("seconds", "integers"), [((1.0, 2.0), True), ((2.0, 1.0), False), ((1.0, None), True)])
def test_of_int8_and_fp16_the_faster_is_kept(monkeypatch, seconds, integers):
    """Both programs are timed, in this order; one that cannot be is no choice."""
    left = list(seconds)
    monkeypatch.setattr(builder, "seconds_of", lambda graph, shapes: left.pop(0))
    engine = build(network(), FP16, trt.BuilderFlag.INT8, calibrator=Data())
    assert ("int8" in {w.dtype.name for w in engine.weights}) == bool(engine.meta["report"]["int8"]) == integers
    known = {name: s for name, s in zip(("INT8", "float16"), seconds) if s is not None}
    assert engine.meta["report"]["tactics"][0] == known
    np.testing.assert_allclose(engine.create_execution_context().run({"x": X})["y"], expected(), atol=3e-2)


def test_a_constraint_keeps_int8_whatever_it_takes(monkeypatch):
    monkeypatch.setattr(builder, "seconds_of", None)
    flags = FP16, trt.BuilderFlag.INT8, trt.BuilderFlag.OBEY_PRECISION_CONSTRAINTS
    assert build(network(), *flags, calibrator=Data()).meta["report"]["int8"]


def test_a_program_is_timed():
    graph, shapes = optimised(network(2).graph())[0], [jax.ShapeDtypeStruct(X.shape, X.dtype)]
    assert seconds_of(graph, shapes) > 0


def normalised(compute_precision=None):
    """A normalization in an engine that may use FP16: its result, and the layers that stayed in FP32."""
    made = trt.Builder(QUIET).create_network()
    x = made.add_input("x", trt.float32, (2, 8))
    one, zero = (made.add_constant((1, 8), np.full((1, 8), v, np.float32)).get_output(0) for v in (1, 0))
    layer = made.add_normalization(x, one, zero, 0b10)
    if compute_precision is not None:
        layer.compute_precision = compute_precision
    made.mark_output(layer.get_output(0))
    config = trt.IBuilderConfig()
    config.set_flag(trt.BuilderFlag.FP16)
    built = trt.Builder(QUIET).build_engine(made, config)
    return (
        built.call([np.linspace(-900, 900, 16, dtype=np.float32).reshape(2, 8)])[0],
        built.meta["report"]["kept in FP32"],
    )


def test_normalization_computes_in_float32_unless_it_is_told_otherwise():
    x = np.linspace(-900, 900, 16, dtype=np.float32).reshape(2, 8)
    exact = (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5)
    found, kept = normalised()
    np.testing.assert_allclose(found, exact, rtol=1e-5)
    assert any("square" in name.lower() for name in kept)
    _, kept = normalised(trt.float16)
    assert not any("square" in name.lower() for name in kept)
