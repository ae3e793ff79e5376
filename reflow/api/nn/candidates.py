"""Candidate samplers (`tf.random.*_candidate_sampler`), and losses that use them: `tf.nn.nce_loss`, …"""

from __future__ import annotations

import collections
import functools

import numpy as np

from reflow.api.array import arrange, creation, indexing
from reflow.api.call import call
from reflow.api.export import export, export_function, with_sections
from reflow.api.linalg.products import matmul
from reflow.api.math import arithmetic, logic, reduce, unary
from reflow.api.nn import losses as loss_functions
from reflow.core import dtypes
from reflow.ops import random_state
from reflow.ops.convert import constant, convert_to_tensor

_FIELDS = "sampled_candidates true_expected_count sampled_expected_count"


def _sample(op_name, true_classes, num_true, num_sampled, unique, seed, name, **attrs):
    classes = arithmetic.cast(convert_to_tensor(true_classes), dtypes.int64)
    attrs |= {"num_true": int(num_true), "num_sampled": int(num_sampled), "unique": bool(unique)}
    found = call(op_name, (classes,), {**attrs, **random_state.seed_attrs(seed)}, name)
    return _candidates(op_name)(*found)


@functools.cache
def _candidates(op_name):
    """The class of what a sampler returns; as in TensorFlow, it has the op's name."""
    return collections.namedtuple(op_name, _FIELDS)


_CANDIDATES = """\
Args:
  true_classes: The correct classes of each example, integers of shape [batch, `num_true`].
  num_true: How many correct classes each example has.
  num_sampled: How many candidates to draw.
  unique: Whether the candidates are all different.
  range_max: The number of classes.
  seed: A seed for the drawing.
  name: A name for the operation.

Returns:
  A named tuple: `sampled_candidates`, int64 of shape [`num_sampled`]; `true_expected_count`, float32 of the shape of
  `true_classes`; and `sampled_expected_count`, float32 of shape [`num_sampled`]: how often each is expected among the
  candidates.
"""


def _sampler(op_name: str, does: str, example: str, result: str, *names: str):
    """A public sampler of candidates that takes nothing but numbers."""

    def function(true_classes, num_true, num_sampled, unique, range_max, seed=None, name=None):
        args = (true_classes, num_true, num_sampled, unique, seed, name)
        return _sample(op_name, *args, range_max=int(range_max))

    doc = f"""{does}

{_CANDIDATES}
Raises:
  InvalidArgumentError: `unique` is set and `num_sampled` is greater than `range_max`.

>>> {example}
{result}
"""
    return export_function(function, *names, doc=doc)


log_uniform_candidate_sampler = _sampler(
    "LogUniformCandidateSampler",
    "Draws candidate classes so that low class numbers, the frequent ones, are drawn often.",
    "tf.random.log_uniform_candidate_sampler([[1]], 1, 3, True, 10)[0].shape", "TensorShape([3])",
    "random.log_uniform_candidate_sampler",
)
uniform_candidate_sampler = _sampler(
    "UniformCandidateSampler", "Draws candidate classes uniformly from all classes.",
    "sorted(tf.random.uniform_candidate_sampler([[1]], 1, 3, True, 3)[0].numpy().tolist())", "[0, 1, 2]",
    "random.uniform_candidate_sampler",
)
learned_unigram_candidate_sampler = _sampler(
    "LearnedUnigramCandidateSampler", "Draws candidate classes as often as they were true classes in earlier calls.",
    "tf.random.learned_unigram_candidate_sampler([[1]], 1, 2, False, 4)[0].shape", "TensorShape([2])",
    "random.learned_unigram_candidate_sampler", "nn.learned_unigram_candidate_sampler",
)


@export("random.fixed_unigram_candidate_sampler", "nn.fixed_unigram_candidate_sampler")
@with_sections(_CANDIDATES)
def fixed_unigram_candidate_sampler(
    true_classes, num_true, num_sampled, unique, range_max, vocab_file="", distortion=1.0, num_reserved_ids=0,
    num_shards=1, shard=0, unigrams=(), seed=None, name=None,
):
    """Draws candidate classes with given weights: `unigrams`, or the last column of `vocab_file`.

    Args:
      vocab_file: The path of a file with a line for each class, whose last column, after a comma, is its weight.
      distortion: The power that the weights are raised to; 0 makes them equal.
      num_reserved_ids: How many classes of weight 0 come before those that have weights.
      num_shards: In how many parts the classes are divided; only those of one part are drawn.
      shard: The number of that part.
      unigrams: The weights of the classes, in order.

    >>> weights = [0.0, 0.0, 1.0]
    >>> tf.random.fixed_unigram_candidate_sampler([[0]], 1, 2, False, 3, unigrams=weights)[0].numpy().tolist()
    [2, 2]
    """
    args = (true_classes, num_true, num_sampled, unique, seed, name)
    facts = {"vocab_file": vocab_file, "distortion": float(distortion), "num_reserved_ids": int(num_reserved_ids)}
    facts |= {"num_shards": int(num_shards), "shard": int(shard), "unigrams": [float(w) for w in unigrams]}
    return _sample("FixedUnigramCandidateSampler", *args, range_max=int(range_max), **facts)


@export("random.all_candidate_sampler", "nn.all_candidate_sampler")
@with_sections(_CANDIDATES)
def all_candidate_sampler(true_classes, num_true, num_sampled, unique, seed=None, name=None):
    """Returns all classes as candidates.

    Args:
      num_sampled: The number of classes.
      unique: Has no effect: the candidates are always all different.
      seed: Has no effect: nothing is drawn.

    >>> tf.random.all_candidate_sampler([[1]], 1, 3, True)[0].numpy().tolist()
    [0, 1, 2]
    """
    return _sample("AllCandidateSampler", true_classes, num_true, num_sampled, unique, seed, name)


@export("nn.compute_accidental_hits")
def compute_accidental_hits(true_classes, sampled_candidates, num_true, seed=None, name=None):
    """Finds the candidates that happen to be true classes.

    Args:
      true_classes: The correct classes of each example, integers of shape [batch, `num_true`].
      sampled_candidates: The candidates, as a sampler draws them.
      num_true: How many correct classes each example has.
      seed: Has no effect: nothing is drawn.
      name: A name for the operation.

    Returns:
      A named tuple of vectors with an entry for each hit: `indices`, the row of `true_classes`; `ids`, the position
      among the candidates; and `weights`, numbers so low that adding them makes the logit vanish.

    >>> [t.numpy().tolist() for t in tf.nn.compute_accidental_hits([[1], [3]], [3, 4], 1)][:2]
    [[1], [0]]
    """
    classes, candidates = (
        arithmetic.cast(convert_to_tensor(x), dtypes.int64) for x in (true_classes, sampled_candidates)
    )
    attrs = {"num_true": int(num_true), **random_state.seed_attrs(seed)}
    found = call("ComputeAccidentalHits", (classes, candidates), attrs, name)
    return collections.namedtuple("ComputeAccidentalHits", "indices ids weights")(*found)


def _rows(params, ids):
    """Rows of a matrix, or of a matrix split into consecutive parts."""
    if isinstance(params, (list, tuple)):
        params = params[0] if len(params) == 1 else arrange.concat(params, 0)
    return indexing.gather(params, ids)


def sampled_logits(
    weights, biases, labels, inputs, num_sampled, num_classes, num_true, sampled, subtract_log_q, remove, seed
):
    """Logits of the true classes and of the candidates, and the labels that go with them."""
    labels = arithmetic.cast(convert_to_tensor(labels), dtypes.int64)
    inputs = convert_to_tensor(inputs)
    flat = arrange.reshape(labels, [-1])
    if sampled is None:
        sampled = log_uniform_candidate_sampler(labels, num_true, num_sampled, True, num_classes, seed)
    candidates, true_count, sampled_count = (arrange.stop_gradient(s) for s in sampled)
    candidates = arithmetic.cast(candidates, dtypes.int64)
    ids = arrange.concat([flat, candidates], 0)
    all_w, all_b = _rows(weights, ids), _rows(biases, ids)
    count = arrange.shape(flat)[0]
    true_w, true_b = all_w[:count], all_b[:count]
    columns = arrange.shape(true_w)[1]
    products = arrange.expand_dims(inputs, 1) * arrange.reshape(true_w, [-1, num_true, columns])
    true_logits = reduce.reduce_sum(products, -1) + arrange.reshape(true_b, [-1, num_true])
    logits = matmul(inputs, all_w[count:], transpose_b=True) + all_b[count:]
    if remove:
        random_state.get_seed(None)  # that of `compute_accidental_hits`, whose list has another length in each step
        classes = arrange.reshape(labels, [-1, num_true, 1])
        hit = reduce.reduce_any(logic.equal(classes, candidates), 1)
        never = arithmetic.cast(constant(np.finfo(np.float32).min), logits.dtype)
        logits += arithmetic.where(hit, never, creation.zeros_like(never))
    if subtract_log_q:
        true_logits -= unary.log(arithmetic.cast(true_count, true_logits.dtype))
        logits -= unary.log(arithmetic.cast(sampled_count, logits.dtype))
    out_labels = arrange.concat([creation.ones_like(true_logits) / float(num_true), creation.zeros_like(logits)], 1)
    return arrange.concat([true_logits, logits], 1), out_labels


_SAMPLED_LOSS = """\
Args:
  weights: The weights of the classes, [`num_classes`, features], or a list of consecutive parts of them.
  biases: The biases of the classes, [`num_classes`].
  labels: The correct classes of each example, integers of shape [batch, `num_true`].
  inputs: The features of the examples, [batch, features].
  num_sampled: How many classes to draw for the batch.
  num_classes: The number of classes.
  num_true: How many correct classes each example has.
  sampled_values: The result of a candidate sampler; by default `log_uniform_candidate_sampler` draws.
  remove_accidental_hits: Whether sampled classes that are the example's own are left out.
  seed: A seed for the drawing.
  name: A name for the operation.

Returns:
  A vector with a loss for each example.
"""


@export("nn.nce_loss")
@with_sections(_SAMPLED_LOSS)
def nce_loss(
    weights, biases, labels, inputs, num_sampled, num_classes, num_true=1, sampled_values=None,
    remove_accidental_hits=False, name="nce_loss",
):
    """Computes the noise-contrastive loss, which distinguishes the true classes from a few sampled ones.

    >>> tf.nn.nce_loss(tf.zeros([9, 2]), tf.zeros([9]), [[1], [3]], tf.ones([2, 2]), 4, 9).shape
    TensorShape([2])
    """
    drawn = num_sampled, num_classes, num_true, sampled_values
    logits, targets = sampled_logits(weights, biases, labels, inputs, *drawn, True, remove_accidental_hits, None)
    losses = loss_functions.sigmoid_cross_entropy_with_logits(labels=targets, logits=logits)
    return reduce.reduce_sum(losses, 1, name=name)


@export("nn.sampled_softmax_loss")
@with_sections(_SAMPLED_LOSS)
def sampled_softmax_loss(
    weights, biases, labels, inputs, num_sampled, num_classes, num_true=1, sampled_values=None,
    remove_accidental_hits=True, seed=None, name="sampled_softmax_loss",
):
    """Computes the softmax cross entropy over the true classes and a few sampled ones.

    >>> labels = tf.constant([[1], [3]], tf.int64)
    >>> tf.nn.sampled_softmax_loss(tf.zeros([9, 2]), tf.zeros([9]), labels, tf.ones([2, 2]), 4, 9).shape
    TensorShape([2])
    """
    drawn = num_sampled, num_classes, num_true, sampled_values
    logits, targets = sampled_logits(weights, biases, labels, inputs, *drawn, True, remove_accidental_hits, seed)
    return loss_functions.softmax_cross_entropy_with_logits(
        labels=arrange.stop_gradient(targets), logits=logits, name=name
    )
