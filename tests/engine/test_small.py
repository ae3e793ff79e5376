"""Networks that run in steps: chosen at build, read from plans, bound to arrays."""

import json

import numpy as np
import pytest

import reflow as tf
import reflow.engine as trt
from reflow import native
from reflow.engine import plan, small
from tests.engine.engines import QUIET

pytestmark = pytest.mark.skipif(not native.available(), reason="there are no kernels of ours")

W = np.random.default_rng(0).standard_normal((8, 8)).astype(np.float32)
X = np.random.default_rng(1).standard_normal((2, 8)).astype(np.float32)


@pytest.fixture(scope="module")
def engine():
    return trt.build_from_function(
        tf.function(lambda x: tf.nn.relu(x @ W)), specs=[tf.TensorSpec(X.shape, name="x")], logger=QUIET
    )


def changed(engine, section=None, **files):
    """The plan with other steps."""
    sections = {name: bytes(content) for name, content in engine._sections.items()}
    sections["constants:0"] = files.pop("constants", sections["constants:0"])
    sections["steps:0"] = (
        plan.pack_files({**plan.unpack_files(sections["steps:0"]), **files}) if section is None else section
    )
    return plan.write(sections)


def test_a_small_network_needs_no_xla_program(engine):
    assert isinstance(engine.small_program(0), small.SmallProgram) and "weights" not in vars(engine)
    np.testing.assert_allclose(engine.create_execution_context()(X), np.maximum(X @ W, 0), rtol=1e-5, atol=1e-6)


def test_another_processor_s_steps_are_left_to_xla(engine):
    head = json.dumps({"inputs": [[2, 8]], "outputs": [[2, 8]], "columns": 7}).encode()
    said = []

    class Noting(trt.ILogger):
        def log(self, severity, msg):
            said.append(msg)

    made = trt.Runtime(Noting()).deserialize_cuda_engine(changed(engine, shapes=head))
    assert made.small_program(0) is None and any("other registers" in text for text in said)
    np.testing.assert_allclose(made.create_execution_context()(X), np.maximum(X @ W, 0), rtol=1e-5, atol=1e-6)


def test_constants_of_a_mapped_plan_are_used_where_they_are(engine, tmp_path):
    (tmp_path / "plan").write_bytes(engine.serialize())
    data = plan.mapped(tmp_path / "plan")
    made = trt.Runtime(QUIET).deserialize_cuda_engine(data)
    (tmp_path / "plan").unlink()
    constants = made.small_program(0)._network._constants
    assert np.may_share_memory(constants, np.frombuffer(data, np.uint8)) and constants.size
    np.testing.assert_allclose(made.create_execution_context()(X), np.maximum(X @ W, 0), rtol=1e-5, atol=1e-6)
    assert made.serialize() == engine.serialize()


def test_inputs_of_other_kinds_are_taken_as_before(engine):
    context, wanted = engine.create_execution_context(), np.maximum(X @ W, 0)
    for given in (tf.constant(X), X.tolist(), np.asfortranarray(X), np.repeat(X, 2, 1)[:, ::2]):
        np.testing.assert_allclose(context(given), wanted, rtol=1e-5, atol=1e-6)
    with pytest.raises(TypeError, match="float32"):
        context(X.astype(np.float64))
    with pytest.raises(ValueError, match="profile 0 allows"):
        context(X[:1])


def test_arrays_are_bound_once(engine):
    context, x, y = engine.create_execution_context(), X.copy(), np.zeros((2, 8), np.float32)
    assert context.execute_v2([x, y]) and context._bound is not None
    first = y.copy()
    x *= 2.0  # in place: the address is the same
    assert context.execute_v2([x, y])
    np.testing.assert_allclose(y, 2 * first, rtol=1e-6)
    other = np.zeros(16, np.float32)  # as many numbers, as TensorRT would take
    assert context.execute_v2([X, other])
    np.testing.assert_array_equal(other.reshape(2, 8), first)


def test_an_output_may_be_the_input(engine):
    context, x = engine.create_execution_context(), X.copy()
    context.set_tensor_address("x", x)
    context.set_tensor_address("output_0", x)
    assert context.execute_async_v3() and context._bound is None
    np.testing.assert_allclose(x, np.maximum(X @ W, 0), rtol=1e-5, atol=1e-6)


def test_steps_that_do_not_fit_the_plan_are_an_error(engine):
    runtime = trt.Runtime(QUIET)
    for bad in (changed(engine, steps=b"12345"), changed(engine, shapes=b'{"inputs": [[2, 8]], "outputs": [[200, 8]]}'),
                changed(engine, shapes=b'{"inputs": [[4, 4]], "outputs": [[2, 8]]}'), changed(engine, constants=b""),
                changed(engine, b"no index"), changed(engine, b"{}\0")):  # fmt: skip
        with pytest.raises(trt.PlanError, match="steps"):
            runtime.deserialize_cuda_engine(bad)


def test_a_larger_network_is_timed():
    weights = np.random.default_rng(0).standard_normal((256, 256)).astype(np.float32)

    def layers(x):
        for _ in range(20):
            x = tf.tanh(x @ weights)
        return x

    specs = [tf.TensorSpec([1, 256], name="x")]
    engine = trt.build_from_function(tf.function(layers), specs=specs, logger=QUIET)
    (times,) = engine.meta["report"]["tactics"]
    assert set(times) == {"kernels of ours", "steps in C++"}
    assert (engine.small_program(0) is not None) == (times["steps in C++"] <= times["kernels of ours"])
