"""The one numeric helper and the one tolerance table.

Reading a case of the descriptor table:
- `outputs`, `gradients` run its expression at once;
- `gradients` seeds every output with a fixed pattern (`cotangent`), so that all of them count and none cancels;
- `assert_close` compares dtype, shape and values: integers exactly, floats by `TOLERANCE`.
"""

from __future__ import annotations

import numpy as np

from tests.ops.inputs import np_dtype

#: (relative, absolute) by dtype; everything else is compared exactly. A case may widen it, with a reason (`loose=`).
TOLERANCE = {
    "float64": (1e-10, 1e-11),
    "complex128": (1e-10, 1e-11),
    "float32": (1e-5, 2e-6),
    "complex64": (2e-5, 5e-6),
    "float16": (4e-3, 2e-3),  # 1 ulp is 1e-3; TensorFlow rounds between the steps of some kernels, Reflow once
    "bfloat16": (2.5e-2, 1e-2),  # 1 ulp is 8e-3
    "float8_e4m3fn": (0.13, 0.02),
    "float8_e5m2": (0.26, 0.04),
}
DIFFERENTIABLE = ("float16", "bfloat16", "float32", "float64", "complex64", "complex128")


def cotangent(shape, dtype: str, position: int) -> np.ndarray:
    """The seed of output number `position`: cosines of its element numbers."""
    count = np.arange(int(np.prod(shape, dtype=int)), dtype=np.float64)
    wave = np.cos(1.7 * count + 0.3 + position)
    if dtype.startswith("complex"):
        wave = wave + 1j * np.sin(0.9 * count + 0.1 + position)
    return wave.reshape(shape).astype(np_dtype(dtype))


def tensors(tf, case) -> list:
    """The inputs of a case."""
    return [tf.constant(a, dtype=d) for a, d in zip(case.arrays(), case.dtypes())]


def sources(case) -> list[int]:
    """Positions of the inputs that can have a gradient."""
    return [i for i, d in enumerate(case.dtypes()) if d in DIFFERENTIABLE]


def outputs(tf, case, inputs) -> list:
    return [tf.convert_to_tensor(t) for t in case.run(tf, inputs)]


def gradients(tf, case, inputs, run=None) -> list:
    """One gradient (tensor, IndexedSlices or None) per input that can have one; `run` computes the outputs instead."""
    wanted = [inputs[i] for i in sources(case)]
    with tf.GradientTape() as tape:
        tape.watch(wanted)
        results = run(*inputs) if run else outputs(tf, case, inputs)
    chosen = [(i, t) for i, t in enumerate(results) if t.dtype.name in DIFFERENTIABLE]
    if not chosen:
        return [None] * len(wanted)
    seeds = [seed(tf, t, i) for i, t in chosen]
    return tape.gradient([t for _, t in chosen], wanted, output_gradients=seeds)


def seed(tf, tensor, position):
    """The cotangent of an output whose shape may be unknown while tracing."""
    if tensor.shape.is_fully_defined():
        return tf.constant(cotangent(tuple(tensor.shape), tensor.dtype.name, position))
    count = tf.reshape(tf.range(tf.cast(tf.size(tensor), tf.float64), dtype=tf.float64), tf.shape(tensor))
    wave = tf.cos(1.7 * count + (0.3 + position))
    if tensor.dtype.is_complex:
        wave = tf.complex(wave, tf.sin(0.9 * count + (0.1 + position)))
    return tf.cast(wave, tensor.dtype)


def dense(tf, gradient):
    """A gradient as a tensor; None stays None."""
    return None if gradient is None else tf.convert_to_tensor(gradient)


def is_sparse(gradient) -> bool:
    return type(gradient).__name__ == "IndexedSlices"


def assert_close(got, dtype: str, expected, loose: float = 1.0, where: str = ""):
    """`got` (a tensor) has the dtype, the shape and the values of `expected` (an array)."""
    assert got.dtype.name == dtype, f"{where}: dtype {got.dtype.name}, expected {dtype}"
    values = np.asarray(got.numpy())
    assert values.shape == expected.shape, f"{where}: shape {values.shape}, expected {expected.shape}"
    if dtype not in TOLERANCE:
        np.testing.assert_array_equal(values, expected, err_msg=where)
        return
    relative, absolute = (t * loose for t in TOLERANCE[dtype])
    wide = np.complex128 if dtype.startswith("complex") else np.float64
    np.testing.assert_allclose(
        values.astype(wide), np.asarray(expected).astype(wide), relative, absolute, err_msg=where
    )


def assert_same(got: list, expected: list, loose: float = 1.0, where: str = ""):
    """Two lists of tensors (or None) agree."""
    assert len(got) == len(expected), f"{where}: {len(got)} results, expected {len(expected)}"
    for i, (a, b) in enumerate(zip(got, expected)):
        if a is None or b is None:
            assert a is b, f"{where}[{i}]: {a} is not {b}"
        else:
            assert_close(a, b.dtype.name, np.asarray(b.numpy()), loose, f"{where}[{i}]")
