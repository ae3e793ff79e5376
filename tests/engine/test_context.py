"""Execution contexts."""

import threading

import jax.numpy as jnp
import numpy as np
import pytest

import reflow as tf
from tests.engine.engines import X, engine, expected


def close(got, wanted):
    np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    "value", [X, tf.constant(X), jnp.asarray(X), X.tolist()], ids=["numpy", "tensor", "jax", "list"]
)
def test_inputs_of_any_kind(value):
    close(engine().create_execution_context().run({"x": value})["y"], expected())


def test_bindings_in_tensorrts_way():
    context = engine().create_execution_context()
    out = np.zeros((2, 5), np.float32)
    assert context.execute_v2([X, out])
    close(out, expected())
    out[:] = 0
    context.set_tensor_address("x", X[:1])
    context.set_tensor_address("y", out[:1])
    assert context.execute_async_v3(0)
    close(out[:1], expected()[:1])


def test_shapes_within_a_profile():
    context = engine().create_execution_context()
    assert context.infer_shapes() == ["x"] and context.get_tensor_shape("y") == (-1, 5)
    assert context.set_input_shape("x", (3, 1, 8, 8)) and context.get_tensor_shape("y") == (3, 5)
    assert not context.set_input_shape("x", (5, 1, 8, 8))
    x = np.concatenate([X, X[:1]])
    close(context.run({"x": x})["y"], expected(x))


def test_refusals():
    context = engine().create_execution_context()
    with pytest.raises(ValueError, match=r"profile 0 allows \(1, 1, 8, 8\) to \(4, 1, 8, 8\)"):
        context.run({"x": np.zeros((5, 1, 8, 8), np.float32)})
    with pytest.raises(TypeError, match="dtype float32; received float64"):
        context.run({"x": X.astype(np.float64)})
    with pytest.raises(ValueError, match="missing: \\['x'\\]"):
        context.run({})
    with pytest.raises(TypeError, match="arrays here"):
        context.set_tensor_address("x", 12345)
    with pytest.raises(ValueError, match="No array was set for 'x', 'y'"):
        context.execute_async_v3(0)
    with pytest.raises(ValueError, match="its array is"):
        context.execute_v2([X, np.zeros(3, np.float32)])


def test_several_contexts_in_several_threads():
    results = {}

    def work(number):
        context = engine().create_execution_context()
        for _ in range(5):
            results[number] = context(tf.constant(X * number)).numpy()

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    for number, result in results.items():
        close(result, expected(X * number))
    assert len(results) == 4
