"""Random numbers. A seed in the model gives the same numbers in every run of it; they are not ONNX Runtime's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import reflow as tf
from reflow.onnx.node import Node
from reflow.onnx.table import operator


def _seed(node: Node) -> int | None:
    return int(node.get("seed")) if "seed" in node else None


def _distribution(name: str, draw: Callable[[Node, Any], Any]) -> None:
    """The two operators of a distribution: samples of a given shape, and of the shape of a tensor."""

    @operator(name, random=True)
    def of_shape(node: Node) -> Any:
        return tf.cast(draw(node, node.get("shape")), node.dtype("dtype", tf.float32))

    @operator(f"{name}Like", random=True)
    def like(node: Node, x: Any) -> Any:
        return tf.cast(draw(node, tf.shape(x)), node.dtype("dtype", x.dtype))


def _uniform(node: Node, shape: Any) -> Any:
    return tf.random.uniform(shape, node.get("low", 0.0), node.get("high", 1.0), seed=_seed(node))


def _normal(node: Node, shape: Any) -> Any:
    return tf.random.normal(shape, node.get("mean", 0.0), node.get("scale", 1.0), seed=_seed(node))


_distribution("RandomUniform", _uniform)
_distribution("RandomNormal", _normal)


@operator("Multinomial", random=True)
def multinomial(node: Node, x: Any) -> Any:
    drawn = tf.random.categorical(x, node.get("sample_size", 1), seed=_seed(node))
    return tf.cast(drawn, node.dtype("dtype", tf.int32))


@operator("Bernoulli", random=True)
def bernoulli(node: Node, x: Any) -> Any:
    drawn = tf.random.uniform(tf.shape(x), seed=_seed(node)) < tf.cast(x, tf.float32)
    return tf.cast(drawn, node.dtype("dtype", x.dtype))
