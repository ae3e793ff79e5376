"""Strings."""

from __future__ import annotations

from typing import Any

import numpy as np

import reflow as tf
from reflow.onnx.node import NeedsValue, Node, OnnxError, rank
from reflow.onnx.table import operator


@operator("StringConcat")
def string_concat(node: Node, x: Any, y: Any) -> Any:
    return tf.strings.join(_broadcast(x, y))


def _broadcast(x: Any, y: Any) -> list[Any]:
    """Texts in a common shape: `tf.strings.join` takes no others but scalars."""
    shape = tf.broadcast_dynamic_shape(tf.shape(x), tf.shape(y))
    return [tf.broadcast_to(x, shape), tf.broadcast_to(y, shape)]


@operator("RegexFullMatch")
def full_match(node: Node, x: Any) -> Any:
    return tf.strings.regex_full_match(x, node.get("pattern"))


@operator("StringSplit")
def string_split(node: Node, x: Any) -> Any:
    """The parts of each text, filled up with empty ones, and how many there are."""
    flat = tf.reshape(x, [-1])
    most = node.get("maxsplit", -1)
    separator = node.get("delimiter", "")
    parts = tf.strings.split(flat, separator or None, most)
    counts = tf.cast(parts.row_lengths(), tf.int64)
    table = parts.to_tensor("")
    shape = tf.shape(x, tf.int64)
    return tf.reshape(table, tf.concat([shape, tf.shape(table, tf.int64)[1:]], 0)), tf.reshape(counts, shape)


@operator("StringNormalizer")
def normalize(node: Node, x: Any) -> Any:
    """Lower or upper case, without stop words; if nothing is left, one empty string."""
    change = {"LOWER": tf.strings.lower, "UPPER": tf.strings.upper}.get(node.get("case_change_action", "NONE"))
    words = node.get("stopwords", [])
    if rank(x) == 2:
        if x.shape[0] != 1:
            raise OnnxError(f"{node}: texts in two dimensions must have one row; the shape is {x.shape}.")
        return normalize(node, x[0])[None, :]
    if words:
        sensitive = bool(node.get("is_case_sensitive", 0))
        seen = x if sensitive else tf.strings.lower(x, encoding="utf-8")
        stops = tf.constant([w if sensitive else w.lower() for w in words])
        x = tf.boolean_mask(x, tf.logical_not(tf.reduce_any(seen[:, None] == stops[None, :], 1)))
        x = tf.cond(tf.size(x) > 0, lambda: x, lambda: tf.constant([""]))
    return x if change is None else change(x, encoding="utf-8")


@operator("TfIdfVectorizer")
def ngrams(node: Node, x: Any) -> Any:
    """How often each n-gram of a pool occurs, with gaps of up to `max_skip_count` between its words."""
    words = node.get("pool_int64s") or node.get("pool_strings")
    starts, places = node.get("ngram_counts"), node.get("ngram_indexes")
    weights = node.get("weights") or [1.0] * len(places)
    size = max(places) + 1
    low, high, skips = node.get("min_gram_length"), node.get("max_gram_length"), node.get("max_skip_count")
    data = x[None, :] if rank(x) == 1 else x
    length = data.shape[1]
    if length is None:
        raise NeedsValue(f"{node}: the number of words must be known when the model is read.")
    counts = tf.zeros(tf.stack([tf.shape(data)[0], size]), tf.float32)
    number = 0
    for i, start in enumerate(starts):
        end = starts[i + 1] if i + 1 < len(starts) else len(words)
        for at in range(start, end, i + 1):
            if low <= i + 1 <= high:
                found = _occurrences(data, words[at : at + i + 1], length, skips)
                counts += found[:, None] * tf.one_hot(places[number], size)[None, :]
            number += 1
    mode = node.get("mode")
    scale = tf.constant(_spread(weights, places, size))
    if mode == "IDF":
        counts = tf.cast(counts > 0, tf.float32) * scale
    elif mode == "TFIDF":
        counts = counts * scale
    return counts[0] if rank(x) == 1 else counts


def _spread(weights: list[float], places: list[int], size: int) -> np.ndarray:
    found = np.ones(size, np.float32)
    found[places] = weights
    return found


def _occurrences(data: Any, gram: list[Any], length: int, skips: int) -> Any:
    """How often an n-gram occurs in each row. A single word has no gaps."""
    total = tf.zeros([tf.shape(data)[0]], tf.float32)
    for gap in range(1, (skips if len(gram) > 1 else 0) + 2):
        reach = (len(gram) - 1) * gap
        if reach >= length:
            continue
        same = [
            data[:, i * gap : length - reach + i * gap] == tf.constant(word, data.dtype) for i, word in enumerate(gram)
        ]
        total += tf.reduce_sum(tf.cast(tf.reduce_all(tf.stack(same), 0), tf.float32), 1)
    return total
