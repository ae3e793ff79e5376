"""Layers, each against NumPy."""

import numpy as np
import pytest

import reflow as tf
import reflow.engine as trt

A = np.array([[[1.0, -2.0, 3.0], [0.5, 4.0, -1.0]]], np.float32)


def run(method, *args, inputs=(A,), settings=None, output=0):
    """A network of one layer, interpreted."""
    made = trt.INetworkDefinition()
    tensors = [made.add_input(f"x{i}", trt.DataType(a.dtype.name), a.shape) for i, a in enumerate(inputs)]
    tensors = [tensors] if method == "add_concatenation" else tensors
    layer = getattr(made, method)(*tensors, *args)
    for name, value in (settings or {}).items():
        setattr(layer, name, value)
    made.mark_output(layer.get_output(output))
    graph = made.graph()
    return np.asarray(graph.run([*inputs, *[t._value for t in graph.external_captures]])[0])


CASES = {
    "relu": (("add_activation", trt.ActivationType.RELU), {}, np.maximum(A, 0)),
    "leaky": (("add_activation", trt.ActivationType.LEAKY_RELU), {"alpha": 0.5}, np.where(A < 0, A * 0.5, A)),
    "clip": (("add_activation", trt.ActivationType.CLIP), {"alpha": -1.0, "beta": 1.0}, np.clip(A, -1, 1)),
    "abs": (("add_unary", trt.UnaryOperation.ABS), {}, np.abs(A)),
    "sum": (("add_reduce", trt.ReduceOperation.SUM, 1 << 2, True), {}, A.sum(2, keepdims=True)),
    "mean": (("add_reduce", trt.ReduceOperation.AVG, 0b110, False), {}, A.mean((1, 2))),
    "shuffle": (
        ("add_shuffle",), {"first_transpose": (0, 2, 1), "reshape_dims": (0, -1)}, A.transpose(0, 2, 1).reshape(1, 6)
    ),
    "slice": (("add_slice", (0, 0, 0), (1, 2, 2), (1, 1, 2)), {}, A[:, :, ::2]),
    "scale": (
        ("add_scale", trt.ScaleMode.UNIFORM, np.float32([1]), np.float32([2]), np.float32([2])), {}, (A * 2 + 1) ** 2
    ),
    "cast": (("add_cast", trt.DataType.INT32), {}, A.astype(np.int32)),
    "shape": (("add_shape",), {}, np.array([1, 2, 3])),
    "top": (("add_topk", trt.TopKOperation.MIN, 1, 1 << 2), {}, A.min(2, keepdims=True)),
    "padding": (("add_padding_nd", (0, 1), (0, -1)), {}, np.pad(A, ((0, 0), (0, 0), (1, 0)))[:, :, :3]),
}


@pytest.mark.parametrize("name", CASES)
def test_layers_of_one_tensor(name):
    call, settings, wanted = CASES[name]
    np.testing.assert_allclose(run(*call, settings=settings), wanted, rtol=1e-6)


def test_layers_of_several_tensors():
    b = A + 1
    np.testing.assert_allclose(run("add_elementwise", trt.ElementWiseOperation.PROD, inputs=(A, b)), A * b)
    np.testing.assert_allclose(run("add_concatenation", inputs=(A, b), settings={"axis": 1}), np.concatenate([A, b], 1))
    np.testing.assert_allclose(run("add_select", inputs=(A > 0, A, b)), np.where(A > 0, A, b))
    np.testing.assert_allclose(run("add_gather", 2, inputs=(A, np.array([2, 0], np.int32))), A[:, :, [2, 0]])
    turn, none = trt.MatrixOperation.TRANSPOSE, trt.MatrixOperation.NONE
    made = trt.INetworkDefinition()
    x, y = (made.add_input(n, trt.float32, A.shape) for n in "xy")
    product = made.add_matrix_multiply(x, none, y, turn)
    assert product.get_output(0).shape == (1, 2, 2)


def test_quantised_there_and_back():
    made = trt.INetworkDefinition()
    x = made.add_input("x", trt.float32, A.shape)
    scale = made.add_constant((), np.float32(0.5)).get_output(0)
    q = made.add_quantize(x, scale).get_output(0)
    assert q.dtype is trt.DataType.INT8
    made.mark_output(made.add_dequantize(q, scale).get_output(0))
    graph = made.graph()
    values = graph.run([A, *[t._value for t in graph.external_captures]])
    np.testing.assert_allclose(np.asarray(values[0]), A)


def test_windows():
    x = np.arange(16, dtype=np.float32).reshape(1, 1, 4, 4)
    pooled = run("add_pooling_nd", trt.PoolingType.AVERAGE, (2, 2), inputs=(x,))
    np.testing.assert_allclose(pooled[0, 0], [[2.5, 4.5], [10.5, 12.5]])
    up = run("add_resize", inputs=(x,), settings={"scales": (1, 1, 2, 2)})
    np.testing.assert_allclose(up[0, 0, :2, :2], 0)
    spread = run(
        "add_deconvolution_nd", 1, (2, 2), np.ones((1, 1, 2, 2), np.float32), inputs=(x,),
        settings={"stride_nd": (2, 2)},
    )
    np.testing.assert_allclose(spread[0, 0, :2, 2:4], 1)


def test_a_function_of_the_users_is_a_layer():
    made = trt.INetworkDefinition()
    x = made.add_input("x", trt.float32, (2,))
    layer = made.add_plugin([x], lambda t: tf.math.sin(t) * 2.0)
    assert layer.get_output(0).shape == (2,)


def test_a_kernel_that_does_not_fit():
    with pytest.raises(ValueError, match="has 9 numbers"):
        run("add_convolution_nd", 2, (3, 3), np.zeros(9, np.float32), inputs=(np.zeros((1, 1, 4, 4), np.float32),))
