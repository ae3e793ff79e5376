"""Golden random numbers, recorded from real TensorFlow.

A case is a function of `tf` that returns arrays; `tests/api/random/test_sampling.py` runs the same functions on Reflow.
bfloat16 is stored as float32.
"""

from __future__ import annotations

import numpy as np

from tools import golden

GOLDEN = golden.GOLDEN / "random.npz"
FLOATS = ("float16", "bfloat16", "float32", "float64")
SEEDS = ((0, 0), (1, 2), (-7, 123456789), (2**31 - 1, -(2**31)))
SIZES = ((), (1,), (3,), (4, 5), (2, 0), (101,))


def cases() -> dict:
    """Name -> function of tf."""
    out = {}
    for i, seed in enumerate(SEEDS):
        for j, shape in enumerate(SIZES):
            for name in ("uniform", "normal", "truncated_normal"):
                for dtype in FLOATS:
                    out[f"stateless_{name}/{dtype}/{i}/{j}"] = lambda tf, n=name, d=dtype, s=seed, z=shape: [
                        getattr(tf.random, f"stateless_{n}")(z, s, dtype=d)
                    ]
            for dtype in ("int32", "int64", "uint32", "uint64"):
                out[f"full_int/{dtype}/{i}/{j}"] = lambda tf, d=dtype, s=seed, z=shape: [
                    tf.random.stateless_uniform(z, s, minval=None, maxval=None, dtype=d)
                ]
            for dtype in ("int32", "int64"):
                out[f"int/{dtype}/{i}/{j}"] = lambda tf, d=dtype, s=seed, z=shape: [
                    tf.random.stateless_uniform(z, s, minval=-17, maxval=2**31 - 1, dtype=d)
                ]
    long = np.array([2**40 + 3, -(2**50)])
    out["int64_seed"] = lambda tf: [
        tf.random.stateless_uniform([9], long),
        tf.random.split(long, 3),
        tf.random.fold_in(long, 5),
    ]
    out["large"] = lambda tf: [
        f([70000], [5, 6])[::97]
        for f in (tf.random.stateless_uniform, tf.random.stateless_normal, tf.random.stateless_truncated_normal)
    ]
    out["scaled"] = lambda tf: [
        tf.random.stateless_uniform([5], [1, 2], -3.0, 9.0),
        tf.random.stateless_normal([5], [1, 2], 10.0, 0.1),
        tf.random.stateless_truncated_normal([5], [1, 2], [1.0, 2.0, 3.0, 4.0, 5.0], 2.0),
    ]
    logits = np.array([[0.1, 0.2, 0.7], [0.5, 0.5, -np.inf]], "float32")
    out["stateless_categorical"] = lambda tf: [tf.random.stateless_categorical(logits, n, [3, 4]) for n in (1, 4, 7)]
    out["stateless_shuffle"] = lambda tf: [
        tf.random.experimental.stateless_shuffle(np.arange(n), [3, n]) for n in (1, 2, 9, 40)
    ]
    out["split"] = lambda tf: [tf.random.split([1, 2], 4), tf.random.fold_in([1, 2], 9)]
    out["stateless_dropout"] = lambda tf: [
        tf.nn.experimental.stateless_dropout(tf.ones([4, 5]), 0.3, [1, 2], noise_shape=[4, 1]),
        tf.nn.experimental.stateless_dropout(tf.ones([9], "float16"), 0.3, [1, 2]),
    ]
    out.update(_stateful())
    out.update(_rejection())
    return out


def _rejection() -> dict:
    alpha, rates = np.array([0.3, 1.0, 2.5, 40.0], "float32"), np.array([0.5, 9.0, 10.0, 250.0], "float32")
    counts, probs = np.array([5.0, 30.0, 100.0, 1000.0], "float64"), np.array([0.3, 0.8, 0.4, 0.9], "float64")

    def seeded(draw):
        def case(tf):
            tf.random.set_seed(4)
            return [draw(tf), draw(tf)]

        return case

    return {
        "stateless_gamma": lambda tf: [
            tf.random.stateless_gamma([50, 4], [1, 2], alpha, 2.0),
            tf.random.stateless_gamma([7], [3, 4], 0.7, dtype="float64"),
        ],
        "gamma": seeded(lambda tf: tf.random.gamma([30], alpha, seed=3)),
        "stateless_poisson": lambda tf: [tf.random.stateless_poisson([50, 4], [1, 2], rates)],
        "poisson": seeded(lambda tf: tf.random.poisson([30], rates, seed=3)),
        "stateless_binomial": lambda tf: [tf.random.stateless_binomial([50, 4], [1, 2], counts, probs)],
    }


def _stateful() -> dict:
    def seeded(draw, count=3, seed=7):
        def case(tf):
            tf.random.set_seed(seed)
            return [draw(tf) for _ in range(count)]

        return case

    logits = np.log([[0.1, 0.2, 0.7], [0.5, 0.3, 0.2]]).astype("float32")
    out = {}
    for own in (None, 5, 0):
        out[f"uniform/{own}"] = seeded(lambda tf, s=own: tf.random.uniform([5], seed=s))
        out[f"normal/{own}"] = seeded(lambda tf, s=own: tf.random.normal([2, 3], 1.0, 2.0, seed=s))
        out[f"truncated_normal/{own}"] = seeded(lambda tf, s=own: tf.random.truncated_normal([7], seed=s))
        out[f"uniform_int/{own}"] = seeded(lambda tf, s=own: tf.random.uniform([5], -3, 100, "int64", seed=s))
        out[f"shuffle/{own}"] = seeded(lambda tf, s=own: tf.random.shuffle(np.arange(11), seed=s))
        out[f"shuffle_rows/{own}"] = seeded(lambda tf, s=own: tf.random.shuffle(np.arange(12).reshape(6, 2), seed=s))
        out[f"categorical/{own}"] = seeded(lambda tf, s=own: tf.random.categorical(logits, 5, seed=s))
        out[f"dropout/{own}"] = seeded(lambda tf, s=own: tf.nn.dropout(tf.ones([3, 4]), 0.4, seed=s))
    for dtype in ("float16", "bfloat16", "float64"):
        out[f"uniform/{dtype}"] = seeded(lambda tf, d=dtype: tf.random.uniform([5], dtype=d, seed=1))
        out[f"normal/{dtype}"] = seeded(lambda tf, d=dtype: tf.random.normal([5], dtype=d, seed=1))
        out[f"truncated_normal/{dtype}"] = seeded(lambda tf, d=dtype: tf.random.truncated_normal([5], dtype=d, seed=1))
    out["zero_seeds"] = seeded(lambda tf: tf.random.uniform([3], seed=0), seed=0)
    out["large_seed"] = seeded(lambda tf: tf.random.uniform([3], seed=2**40 + 5), seed=2**45 + 1)

    def generator(tf):
        g = tf.random.Generator.from_seed(2**70 + 5)
        parts = [
            tf.identity(g.state),
            g.normal([3]),
            g.uniform([4], 1.0, 7.0),
            g.uniform([2], 1, 70, "int32"),
            g.truncated_normal([5], dtype="float64"),
            g.uniform_full_int([2]),
            g.make_seeds(2),
            tf.identity(g.state),
        ]
        parts += [tf.identity(h.state) for h in g.split(2)]
        g.skip(3)
        parts.append(tf.identity(g.state))
        g.reset_from_seed([4, 5])
        return [*parts, tf.identity(g.state), g.normal([2], 1.0, 3.0), tf.identity(g.key)]

    out["generator"] = generator
    return out


def record():
    import tensorflow as tf

    values = {}
    for name, function in cases().items():
        for i, tensor in enumerate(function(tf)):
            tensor = tf.cast(tensor, tf.float32) if tensor.dtype is tf.bfloat16 else tensor
            values[f"{name}#{i}"] = tensor.numpy()
    np.savez_compressed(GOLDEN, **values)
    print(f"{len(values)} arrays, {GOLDEN.stat().st_size} bytes")


if __name__ == "__main__":
    record()
