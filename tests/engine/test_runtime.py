"""Engines from plans."""

import json

import numpy as np
import pytest

import reflow.engine as trt
from reflow.engine import plan as plans
from tests.engine.engines import QUIET, X, engine, expected, plan


def test_names_shapes_and_dtypes():
    made = engine()
    assert (made.num_io_tensors, made.input_names, made.output_names, list(made)) == (2, ["x"], ["y"], ["x", "y"])
    assert made.get_tensor_shape("x") == (-1, 1, 8, 8) and made.get_tensor_dtype("y") is trt.float32
    assert made.get_tensor_mode("x") is trt.TensorIOMode.INPUT and made.get_binding_index("y") == 1 and made[0] == "x"
    assert made.get_tensor_profile_shape("x", 0) == [(1, 1, 8, 8), (2, 1, 8, 8), (4, 1, 8, 8)]
    assert made.device_memory_size > 4 * 64 * 4 and made.serialize() == plan()
    with pytest.raises(ValueError, match="no tensor 'z'"):
        made.get_tensor_shape("z")


class Messages(trt.ILogger):
    def __init__(self):
        super().__init__()
        self.texts = []

    def log(self, severity, msg):
        self.texts.append(msg)


def test_a_plan_of_another_machine_is_compiled_again_and_says_so():
    sections = {name: bytes(content) for name, content in plans.read(plan()).items()}
    meta = json.loads(sections["meta"])
    meta["fingerprint"]["device"] = "another"
    sections["meta"] = json.dumps(meta).encode()
    for name in [n for n in sections if n.startswith(("program", "cache"))]:
        del sections[name]
    logger = Messages()
    made = trt.Runtime(logger).deserialize_cuda_engine(plans.write(sections))
    assert any("compiled again" in text for text in logger.texts)
    np.testing.assert_allclose(made.create_execution_context().run({"x": X})["y"], expected(), rtol=1e-5, atol=1e-6)


def test_damaged_plans():
    with pytest.raises(trt.PlanError, match="offset"):
        trt.Runtime(QUIET).deserialize_cuda_engine(plan()[:-10])
    with pytest.raises(trt.PlanError, match="no section 'meta'"):
        trt.Runtime(QUIET).deserialize_cuda_engine(plans.write({"graph": b""}))
