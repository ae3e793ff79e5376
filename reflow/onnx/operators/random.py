"""Random numbers. A seed in the model gives the same numbers in every run of it; they are not ONNX Runtime's."""

from __future__ import annotations

from typing import Any

import reflow as tf
from reflow.onnx.node import Node
from reflow.onnx.table import operator


def _seed(node: Node) -> int | None:
    return int(node.get("seed")) if "seed" in node else None


def _uniform(node: Node, shape: Any, dtype: Any) -> Any:
    low, high = node.get("low", 0.0), node.get("high", 1.0)
    return tf.cast(tf.random.uniform(shape, low, high, seed=_seed(node)), dtype)


def _normal(node: Node, shape: Any, dtype: Any) -> Any:
    return tf.cast(tf.random.normal(shape, node.get("mean", 0.0), node.get("scale", 1.0), seed=_seed(node)), dtype)


@operator("RandomUniform", random=True)
def random_uniform(node: Node) -> Any:
    return _uniform(node, node.get("shape"), node.dtype("dtype", tf.float32))


@operator("RandomUniformLike", random=True)
def random_uniform_like(node: Node, x: Any) -> Any:
    return _uniform(node, tf.shape(x), node.dtype("dtype", x.dtype))


@operator("RandomNormal", random=True)
def random_normal(node: Node) -> Any:
    return _normal(node, node.get("shape"), node.dtype("dtype", tf.float32))


@operator("RandomNormalLike", random=True)
def random_normal_like(node: Node, x: Any) -> Any:
    return _normal(node, tf.shape(x), node.dtype("dtype", x.dtype))


@operator("Multinomial", random=True)
def multinomial(node: Node, x: Any) -> Any:
    drawn = tf.random.categorical(x, node.get("sample_size", 1), seed=_seed(node))
    return tf.cast(drawn, node.dtype("dtype", tf.int32))


@operator("Bernoulli", random=True)
def bernoulli(node: Node, x: Any) -> Any:
    drawn = tf.random.uniform(tf.shape(x), seed=_seed(node)) < tf.cast(x, tf.float32)
    return tf.cast(drawn, node.dtype("dtype", x.dtype))
