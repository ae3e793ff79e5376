"""Operators of the domain ai.onnx.ml that have a meaning on tensors: encoders, scalers, linear models."""

from __future__ import annotations

from typing import Any

import numpy as np

import reflow as tf
from reflow.onnx.node import Node, rank, scalar
from reflow.onnx.table import CLASSIC, operator


@operator("ArrayFeatureExtractor", domain=CLASSIC)
def feature_extractor(node: Node, x: Any, indices: Any) -> Any:
    data = x[None, :] if rank(x) == 1 else x
    return tf.gather(data, tf.reshape(indices, [-1]), axis=rank(data) - 1)


@operator("Binarizer", domain=CLASSIC)
def binarizer(node: Node, x: Any) -> Any:
    return tf.cast(x > scalar(node.get("threshold", 0.0), x), x.dtype)


@operator("Scaler", domain=CLASSIC)
def scaler(node: Node, x: Any) -> Any:
    real = tf.cast(x, tf.float32)
    return (real - tf.constant(node.get("offset", [0.0]))) * tf.constant(node.get("scale", [1.0]))


@operator("Normalizer", domain=CLASSIC)
def normalizer(node: Node, x: Any) -> Any:
    real, how = tf.cast(x, tf.float32), node.get("norm", "MAX")
    if how == "MAX":
        return tf.math.divide_no_nan(real, tf.reduce_max(real, -1, keepdims=True))
    size = tf.reduce_sum(tf.abs(real), -1, keepdims=True) if how == "L1" else tf.norm(real, axis=-1, keepdims=True)
    return tf.math.divide_no_nan(real, size)


@operator("Imputer", domain=CLASSIC)
def imputer(node: Node, x: Any) -> Any:
    """Missing numbers replaced."""
    kind = "floats" if x.dtype.is_floating else "int64s"
    values = tf.constant(node.get(f"imputed_value_{kind}"), x.dtype)
    missing = node.get(f"replaced_value_{kind[:-1]}", 0)
    absent = tf.math.is_nan(x) if x.dtype.is_floating and np.isnan(missing) else x == scalar(missing, x)
    return tf.where(absent, tf.broadcast_to(values, tf.shape(x)), x)


@operator("LinearRegressor", domain=CLASSIC)
def linear_regressor(node: Node, x: Any) -> Any:
    targets = node.get("targets", 1)
    weights = tf.reshape(tf.constant(node.get("coefficients")), [targets, -1])
    y = tf.matmul(tf.cast(x, tf.float32), weights, transpose_b=True)
    return y + tf.constant(node.get("intercepts")) if "intercepts" in node else y


@operator("LabelEncoder", domain=CLASSIC)
def label_encoder(node: Node, x: Any) -> Any:
    """Replaces each label by its partner."""
    keys, values = _side(node, "keys"), _side(node, "values")
    flat = tf.reshape(x, [-1])
    same = flat[:, None] == tf.cast(keys, x.dtype)[None, :]
    if x.dtype.is_floating:
        same = same | (tf.math.is_nan(flat)[:, None] & tf.math.is_nan(tf.cast(keys, x.dtype))[None, :])
    found = tf.gather(values, tf.argmax(tf.cast(same, tf.int32), 1))
    default = tf.reshape(_default(node, values), [])
    return tf.reshape(tf.where(tf.reduce_any(same, 1), found, default), tf.shape(x))


def _side(node: Node, side: str) -> Any:
    if f"{side}_tensor" in node:
        return tf.reshape(node.get(f"{side}_tensor"), [-1])
    for kind, dtype in (("strings", tf.string), ("int64s", tf.int64), ("floats", tf.float32)):
        if f"{side}_{kind}" in node:
            return tf.constant(node.get(f"{side}_{kind}"), dtype)
    raise ValueError(f"{node} has no {side}")


def _default(node: Node, values: Any) -> Any:
    if "default_tensor" in node:
        return tf.cast(node.get("default_tensor"), values.dtype)
    if values.dtype == tf.string:
        return tf.constant(node.get("default_string", "_Unused"))
    if values.dtype.is_floating:
        return scalar(node.get("default_float", -0.0), values)
    return scalar(node.get("default_int64", -1), values)
