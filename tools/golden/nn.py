"""Golden values of `tf.nn`, and of its gradients, recorded from real TensorFlow.

A case is a function of `tf` that returns arrays; `tests/api/nn/test_nn_cases.py` runs the same functions on Reflow.
"""

from __future__ import annotations

import numpy as np

from tools import golden

GOLDEN = golden.GOLDEN / "nn.npz"


def _x(*shape, seed=0, dtype="float32", scale=2.0):
    return (np.random.default_rng(seed).normal(size=shape) * scale).astype(dtype)


def _with_gradients(tf, function, *arrays):
    """The outputs of a function, and the gradients of their weighted sum."""
    inputs = [tf.constant(a) for a in arrays]
    with tf.GradientTape() as tape:
        tape.watch(inputs)
        out = function(*inputs)
        outs = list(out) if isinstance(out, (tuple, list)) else [out]
        total = tf.add_n(
            [tf.reduce_sum(tf.cast(o, tf.float32) * _x(*o.shape, seed=9)) for o in outs if o.dtype.is_floating]
        )
    grads = tape.gradient(total, inputs)
    return outs + [g for g in grads if g is not None]


def _second(tf, function, array):
    """Second derivatives, through two tapes."""
    x = tf.constant(array)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.reduce_sum(function(x) * _x(*function(x).shape, seed=9))
        g = inner.gradient(y, x)
        total = tf.reduce_sum(g * g)
    return [g, outer.gradient(total, x)]


def cases() -> dict:
    """Name -> function of tf."""
    out = {}
    for name in (
        "relu",
        "relu6",
        "elu",
        "selu",
        "softplus",
        "softsign",
        "leaky_relu",
        "gelu",
        "silu",
        "crelu",
        "softmax",
        "log_softmax",
        "l2_normalize",
        "tanh",
        "sigmoid",
    ):
        out[name] = lambda tf, name=name: _with_gradients(tf, getattr(tf.nn, name), _x(3, 5, scale=4.0))
        if name not in ("crelu", "softsign"):  # TensorFlow has no second derivative of softsign
            out[f"{name}/second"] = lambda tf, name=name: _second(tf, getattr(tf.nn, name), _x(3, 5, scale=3.0))
        for dtype in ("float16", "float64"):
            out[f"{name}/{dtype}"] = lambda tf, name=name, dtype=dtype: [
                getattr(tf.nn, name)(tf.constant(_x(3, 5, dtype=dtype)))
            ]
    out["gelu/approximate"] = lambda tf: _with_gradients(tf, lambda x: tf.nn.gelu(x, approximate=True), _x(3, 5))
    out["silu/beta"] = lambda tf: _with_gradients(tf, lambda x: tf.nn.silu(x, beta=2.0), _x(3, 5))
    out["leaky_relu/alpha"] = lambda tf: _with_gradients(tf, lambda x: tf.nn.leaky_relu(x, alpha=0.05), _x(3, 5))
    for axis in (0, 1, -2):
        out[f"softmax/axis{axis}"] = lambda tf, axis=axis: _with_gradients(
            tf, lambda x: tf.nn.softmax(x, axis=axis), _x(2, 3, 4)
        )
        out[f"log_softmax/axis{axis}"] = lambda tf, axis=axis: [tf.nn.log_softmax(_x(2, 3, 4), axis=axis)]
    out.update(_losses())
    out.update(_statistics())
    out.update(_convolutions())
    out.update(_pools())
    return out


def _losses() -> dict:
    labels = np.array([1, 0, 3])
    soft = np.abs(_x(3, 4, seed=2)) / 3
    return {
        "sparse_xent": lambda tf: _with_gradients(
            tf, lambda x: tf.nn.sparse_softmax_cross_entropy_with_logits(labels, x), _x(3, 4)
        ),
        "sparse_xent/second": lambda tf: _second(
            tf, lambda x: tf.nn.sparse_softmax_cross_entropy_with_logits(labels, x), _x(3, 4)
        ),
        "sparse_xent/rank3": lambda tf: _with_gradients(
            tf,
            lambda x: tf.nn.sparse_softmax_cross_entropy_with_logits(np.array([[1, 0], [2, 2]], "int32"), x),
            _x(2, 2, 4),
        ),
        "sparse_xent/half": lambda tf: [
            tf.nn.sparse_softmax_cross_entropy_with_logits(labels, _x(3, 4, dtype="float16"))
        ],
        "xent": lambda tf: _with_gradients(
            tf, lambda z, x: tf.nn.softmax_cross_entropy_with_logits(z, x), soft.astype("float32"), _x(3, 4)
        ),
        "xent/second": lambda tf: _second(
            tf, lambda x: tf.nn.softmax_cross_entropy_with_logits(soft.astype("float32"), x), _x(3, 4)
        ),
        "xent/axis": lambda tf: _with_gradients(
            tf, lambda x: tf.nn.softmax_cross_entropy_with_logits(np.abs(_x(2, 3, 4, seed=2)), x, axis=1), _x(2, 3, 4)
        ),
        "sigmoid_xent": lambda tf: _with_gradients(
            tf,
            lambda z, x: tf.nn.sigmoid_cross_entropy_with_logits(labels=z, logits=x),
            soft.astype("float32"),
            _x(3, 4),
        ),
        "weighted_xent": lambda tf: _with_gradients(
            tf, lambda z, x: tf.nn.weighted_cross_entropy_with_logits(z, x, 3.0), soft.astype("float32"), _x(3, 4)
        ),
        "l2_loss": lambda tf: _with_gradients(tf, tf.nn.l2_loss, _x(3, 4)),
        "log_poisson": lambda tf: [
            tf.nn.log_poisson_loss(np.abs(_x(3, 4)), _x(3, 4, seed=1)),
            tf.nn.log_poisson_loss(np.abs(_x(3, 4)), _x(3, 4, seed=1), True),
        ],
        "in_top_k": lambda tf: [
            tf.nn.in_top_k(
                [1, 0, 3, 9], np.array([[1, 2, 3, 4], [4, 1, 2, 3], [0, 0, 0, 0], [1, 1, 1, 1]], "float32"), k
            )
            for k in (1, 2, 4)
        ],
    }


def _statistics() -> dict:
    v = np.abs(_x(4, seed=3)) + 0.5
    norm = [_x(4, seed=1), v.astype("float32"), _x(4, seed=4), _x(4, seed=5)]

    def fused(tf, layout, training, factor=1.0, dtype="float32"):
        x = _x(2, 3, 5, 4, dtype=dtype) if layout == "NHWC" else _x(2, 4, 3, 5, dtype=dtype)

        mean, variance = tf.constant(norm[0]), tf.constant(norm[1])

        def run(x, scale, offset):
            options = {
                "epsilon": 0.01,
                "exponential_avg_factor": factor,
                "data_format": layout,
                "is_training": training,
            }
            return list(
                tf.raw_ops.FusedBatchNormV3(x=x, scale=scale, offset=offset, mean=mean, variance=variance, **options)
            )

        given = x, norm[2], norm[3]
        return _with_gradients(tf, lambda *a: run(*a)[:1], *given) + run(*given)[1:3]

    return {
        "moments": lambda tf: _with_gradients(tf, lambda x: tf.nn.moments(x, [0, 2]), _x(2, 3, 4)),
        "moments/keepdims": lambda tf: list(tf.nn.moments(tf.constant(_x(2, 3, 4)), [-1], keepdims=True)),
        "weighted_moments": lambda tf: list(tf.nn.weighted_moments(_x(2, 3), [0], np.array([[1.0], [3.0]], "float32"))),
        "sufficient_statistics": lambda tf: list(tf.nn.sufficient_statistics(_x(2, 3), [0], shift=1.5))[:3],
        "batch_normalization": lambda tf: _with_gradients(
            tf, lambda *a: tf.nn.batch_normalization(*a, variance_epsilon=1e-3), _x(3, 4), *norm
        ),
        "bias_add": lambda tf: _with_gradients(tf, tf.nn.bias_add, _x(2, 3, 4), _x(4)),
        "bias_add/NCHW": lambda tf: _with_gradients(
            tf, lambda x, b: tf.nn.bias_add(x, b, "NCHW"), _x(2, 4, 3, 3), _x(4)
        ),
        "lrn": lambda tf: _with_gradients(tf, lambda x: tf.nn.lrn(x, 2, 1.0, 0.5, 0.75), _x(2, 2, 2, 7)),
        "fused/training": lambda tf: fused(tf, "NHWC", True),
        "fused/average": lambda tf: fused(tf, "NHWC", True, 0.3),
        "fused/inference": lambda tf: fused(tf, "NHWC", False),
        "embedding": lambda tf: [
            tf.nn.embedding_lookup(tf.constant(_x(5, 3)), [[1, 0], [4, 4]]),
            tf.nn.embedding_lookup(tf.constant(_x(5, 3)), [1, 3], max_norm=1.0),
        ],
    }


def _convolutions() -> dict:
    out = {}
    for strides in (1, 2, [2, 1]):
        for padding in ("SAME", "VALID", [[0, 0], [2, 1], [0, 3], [0, 0]]):
            out[f"conv2d/{strides}/{padding}"] = lambda tf, s=strides, p=padding: _with_gradients(
                tf, lambda x, w: tf.nn.conv2d(x, w, s, p), _x(2, 7, 6, 4), _x(3, 2, 4, 5, seed=1)
            )
    out["conv2d/dilated"] = lambda tf: _with_gradients(
        tf, lambda x, w: tf.nn.conv2d(x, w, 1, "SAME", dilations=2), _x(2, 7, 6, 4), _x(3, 2, 4, 5, seed=1)
    )
    out["conv2d/groups"] = lambda tf: [tf.nn.conv2d(_x(2, 5, 6, 4), _x(3, 2, 2, 6, seed=1), 1, "VALID")]
    out["conv2d/second"] = lambda tf: _second(
        tf, lambda x: tf.nn.conv2d(x * x, _x(3, 2, 4, 5, seed=1), 2, "SAME"), _x(1, 5, 6, 4)
    )
    out["conv2d/batch"] = lambda tf: [tf.nn.convolution(_x(2, 2, 5, 6, 4), _x(3, 2, 4, 5, seed=1), padding="SAME")]
    out["conv2d/float16"] = lambda tf: [
        tf.nn.conv2d(_x(2, 5, 6, 4, dtype="float64"), _x(3, 2, 4, 6, seed=1, dtype="float64"), 1, "VALID")
    ]
    for padding in ("SAME", "VALID"):
        out[f"conv1d/{padding}"] = lambda tf, p=padding: _with_gradients(
            tf, lambda x, w: tf.nn.conv1d(x, w, 2, p), _x(2, 7, 4), _x(3, 4, 5, seed=1)
        )
        out[f"conv3d/{padding}"] = lambda tf, p=padding: _with_gradients(
            tf, lambda x, w: tf.nn.conv3d(x, w, [1, 2, 1, 2, 1], p), _x(2, 4, 5, 4, 2), _x(3, 2, 2, 2, 3, seed=1)
        )
        out[f"depthwise/{padding}"] = lambda tf, p=padding: _with_gradients(
            tf, lambda x, w: tf.nn.depthwise_conv2d(x, w, [1, 2, 2, 1], p), _x(2, 7, 6, 4), _x(3, 2, 4, 2, seed=1)
        )
        out[f"separable/{padding}"] = lambda tf, p=padding: _with_gradients(
            tf,
            lambda x, w, q: tf.nn.separable_conv2d(x, w, q, [1, 1, 1, 1], p),
            _x(2, 5, 6, 3),
            _x(3, 2, 3, 2, seed=1),
            _x(1, 1, 6, 2, seed=2),
        )
        out[f"transpose2d/{padding}"] = lambda tf, p=padding: _with_gradients(
            tf,
            lambda x, w: tf.nn.conv2d_transpose(x, w, [2, 6, 8, 5] if p == "SAME" else [2, 7, 8, 5], 2, p),
            _x(2, 3, 4, 4),
            _x(3, 2, 5, 4, seed=1),
        )
    out["depthwise/dilated"] = lambda tf: [
        tf.nn.depthwise_conv2d(_x(2, 7, 6, 4), _x(3, 2, 4, 2, seed=1), [1, 1, 1, 1], "SAME", dilations=[2, 2])
    ]
    out["transpose1d"] = lambda tf: [tf.nn.conv1d_transpose(_x(2, 3, 4), _x(3, 5, 4, seed=1), [2, 6, 5], 2)]
    out["transpose3d"] = lambda tf: [
        tf.nn.conv3d_transpose(_x(2, 3, 2, 2, 4), _x(3, 2, 2, 5, 4, seed=1), [2, 6, 4, 4, 5], 2)
    ]
    out["atrous"] = lambda tf: [tf.nn.atrous_conv2d(_x(2, 7, 6, 4), _x(3, 2, 4, 5, seed=1), 2, "SAME")]
    return out


def _pools() -> dict:
    out = {}
    for kind in ("max_pool", "avg_pool"):
        for padding in ("SAME", "VALID"):
            out[f"{kind}2d/{padding}"] = lambda tf, k=kind, p=padding: _with_gradients(
                tf, lambda x: getattr(tf.nn, k)(x, [3, 2], [2, 1], p), np.round(_x(2, 6, 5, 3))
            )
            out[f"{kind}3d/{padding}"] = lambda tf, k=kind, p=padding: _with_gradients(
                tf, lambda x: getattr(tf.nn, k)(x, 2, 2, p, "NDHWC"), np.round(_x(2, 3, 4, 5, 2))
            )
            out[f"{kind}1d/{padding}"] = lambda tf, k=kind, p=padding: _with_gradients(
                tf, lambda x: getattr(tf.nn, k)(x, 3, 2, p, "NWC"), np.round(_x(2, 7, 2))
            )
    out["max_pool/explicit"] = lambda tf: [tf.nn.max_pool2d(_x(2, 6, 5, 3), 2, 2, [[0, 0], [1, 0], [1, 1], [0, 0]])]
    out["avg_pool/second"] = lambda tf: _second(tf, lambda x: tf.nn.avg_pool2d(x * x, 2, 2, "SAME"), _x(2, 5, 5, 2))
    out["max_pool/second"] = lambda tf: _second(tf, lambda x: tf.nn.max_pool2d(x * x, 2, 2, "SAME"), _x(2, 5, 5, 2))
    out["argmax"] = lambda tf: _with_gradients(
        tf, lambda x: tf.nn.max_pool_with_argmax(x, 2, 2, "SAME"), _x(2, 5, 5, 2)
    )
    out["argmax/batch"] = lambda tf: list(
        tf.nn.max_pool_with_argmax(_x(2, 5, 5, 2), 2, 1, "VALID", include_batch_in_index=True)
    )
    out["pool/dilated"] = lambda tf: [tf.nn.pool(_x(2, 7, 7, 2), [2, 3], t, dilations=[2, 1]) for t in ("MAX", "AVG")]
    return out


def record():
    import tensorflow as tf

    values = {}
    for name, function in cases().items():
        for i, tensor in enumerate(function(tf)):
            values[f"{name}#{i}"] = tensor.numpy()
    np.savez_compressed(GOLDEN, **values)
    print(f"{len(values)} arrays, {GOLDEN.stat().st_size} bytes")


if __name__ == "__main__":
    record()
