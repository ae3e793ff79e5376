"""`tf.nn.ctc_*`: the loss and the decoders of connectionist temporal classification (Graves et al., 2006)."""

from __future__ import annotations

import math

from reflow.api.array import arrange as array
from reflow.api.array import creation
from reflow.api.array.creation import ones_like, zeros_like
from reflow.api.array.indexing import gather
from reflow.api.call import call
from reflow.api.control.functional import foldl
from reflow.api.export import export
from reflow.api.math import arithmetic as m
from reflow.api.math.reduce import reduce_logsumexp
from reflow.api.nn import activations
from reflow.core import dtypes
from reflow.core.sparse import SparseTensor
from reflow.ops.convert import convert_to_tensor

_NEVER = -1e30  # the log probability of what cannot be: finite, so that its gradient is 0 and not NaN
# TensorFlow's value for a path that begins in the middle: the loss of impossible labels is some 700
_HARDLY = math.log(1e-307)


def sparse_loss(labels, logits, lengths, collapse=False, merge=True, ignore_longer=False):
    """The loss of sparse labels under time-major logits whose last class is the blank."""
    attrs = {
        "preprocess_collapse_repeated": bool(collapse), "ctc_merge_repeated": bool(merge),
        "ignore_longer_outputs_than_inputs": bool(ignore_longer),
    }
    values, lengths = m.cast(labels.values, dtypes.int32), m.cast(convert_to_tensor(lengths), dtypes.int32)
    loss = call("CTCLoss", (_wide(logits), labels.indices, values, lengths), attrs)[0]
    return m.cast(loss, logits.dtype)


def _blank_last(labels, logits, blank):
    """Sparse labels and logits with the blank as the last class; the classes after it move down by one."""
    logits = array.concat([logits[:, :, :blank], logits[:, :, blank + 1 :], logits[:, :, blank : blank + 1]], 2)
    values = labels.values
    moved = m.where(m.less(values, m.cast(blank, values.dtype)), values, m.subtract(values, 1))
    return labels.with_values(moved), logits


def _shifted(x, by):
    """Columns moved to the right, what is not possible moving in."""
    return array.pad(x, [[0, 0], [by, 0]], constant_values=_NEVER)[:, : array.shape(x)[1]]


@export("nn.ctc_loss")
def ctc_loss(
    labels, logits, label_length, logit_length, logits_time_major=True, unique=None, blank_index=None, name=None
):
    """Computes the negative log probability of label sequences under logits (Graves et al., 2006).

    Args:
      labels: Class numbers, a matrix [batch, labels] or a `SparseTensor`.
      logits: Floats [time, batch, classes], or [batch, time, classes] if not `logits_time_major`.
      label_length: How many labels each sequence has; not used for sparse labels.
      logit_length: How many time steps each sequence has.
      logits_time_major: Whether time is the first axis of `logits`.
      unique: Has no effect: the result is the same without it.
      blank_index: The class that stands for no label, negative to count from the end; 0 by default for dense labels.
      name: A name for the operation.

    Returns:
      A vector with a loss for each sequence, of the dtype of `logits`.

    Raises:
      ValueError: `labels` are sparse and there is no `blank_index`.
      InvalidArgumentError: A sequence has more sparse labels than time steps.

    >>> loss = tf.nn.ctc_loss([[1]], tf.zeros([1, 1, 2]), [1], [1], logits_time_major=False, blank_index=0)
    >>> round(float(loss[0]), 4)
    0.6931
    """
    logits = convert_to_tensor(logits)
    if not logits_time_major:
        logits = array.transpose(logits, [1, 0, 2])
    blank = 0 if blank_index is None else blank_index
    if blank < 0:
        blank = blank + (logits.shape[-1] if logits.shape[-1] is not None else array.shape(logits)[-1])
    if isinstance(labels, SparseTensor):
        if blank_index is None:
            raise ValueError("Argument `blank_index` must be provided when `labels` is a `SparseTensor`.")
        labels, logits = _blank_last(labels, logits, blank)
        return array.identity(sparse_loss(labels, logits, logit_length), name)
    labels = m.cast(convert_to_tensor(labels), dtypes.int32)
    label_length = m.cast(convert_to_tensor(label_length), dtypes.int32)
    logit_length = m.cast(convert_to_tensor(logit_length), dtypes.int32)
    loss = _path_loss(labels, _wide(logits), label_length, logit_length, blank)
    return array.identity(m.cast(loss, logits.dtype), name)


def _wide(logits):
    """Sums of many small probabilities need more than 16 bits."""
    return m.cast(logits, dtypes.float32) if logits.dtype in (dtypes.float16, dtypes.bfloat16) else logits


def _path_loss(labels, logits, label_length, logit_length, blank):
    """The loss of dense labels under time-major logits."""
    # Blanks around each label: [-, a, -, b, -]. A label may follow the one before it without a blank if they differ.
    states = array.shape(labels)[1] * 2 + 1
    blanks = m.multiply(ones_like(labels), blank)
    around = array.reshape(array.stack([blanks, labels], 2), array.stack([array.shape(labels)[0], states - 1]))
    path = array.pad(around, [[0, 0], [0, 1]], constant_values=blank)
    before = array.pad(path, [[0, 0], [2, 0]], constant_values=-1)[:, :states]
    is_label = m.equal(m.floormod(creation.range(states), 2), 1)
    may_skip = m.logical_and(is_label[None], m.not_equal(path, before))

    log_probs = activations.log_softmax(logits)
    emitted = _emitted(log_probs, path)
    never = m.multiply(ones_like(emitted[0]), _NEVER)
    first = m.where(m.less(creation.range(states)[None], 2), emitted[0], m.add(emitted[0], _HARDLY))

    def step(alpha, slices):
        t, here = slices
        skipped = m.where(may_skip, _shifted(alpha, 2), never)
        reached = reduce_logsumexp(array.stack([alpha, _shifted(alpha, 1), skipped]), 0) + here
        return m.where(m.less(t, logit_length)[:, None], reached, alpha)

    times = creation.range(1, array.shape(logits)[0])
    alpha = foldl(step, (times, emitted[1:]), first)
    ends = array.stack([label_length * 2, m.maximum(label_length * 2 - 1, 0)], 1)
    last = gather(alpha, ends, batch_dims=1)
    last = m.where(
        m.logical_and(m.equal(label_length, 0)[:, None], m.equal(creation.range(2), 1)[None]), never[:, :2], last
    )
    loss = m.negative(reduce_logsumexp(last, 1))
    if labels.shape.rank is not None and (loss.shape.rank is None or loss.shape[0] is None):
        loss.set_shape(labels.shape[:1])
    return loss


def _emitted(log_probs, path):
    """The log probabilities of the symbols of `path` at each time; 0 for those that are no class (padding with -1)."""
    is_class = m.logical_and(m.greater_equal(path, 0), m.less(path, array.shape(log_probs)[2]))
    every = array.tile(m.where(is_class, path, zeros_like(path))[None], array.stack([array.shape(log_probs)[0], 1, 1]))
    found = gather(log_probs, every, batch_dims=2)
    return m.where(is_class[None], found, zeros_like(found))


def decoded(parts, count):
    """The sparse sequences among an op's outputs, and their log probabilities."""
    return [SparseTensor(parts[i], parts[count + i], parts[2 * count + i]) for i in range(count)], parts[-1]


@export("nn.ctc_greedy_decoder")
def ctc_greedy_decoder(inputs, sequence_length, merge_repeated=True, blank_index=None):
    """Finds the labels of the best path, the most probable class at each step.

    Args:
      inputs: Logits [time, batch, classes].
      sequence_length: How many time steps each sequence has.
      merge_repeated: Whether a class that repeats without a blank in between is one label.
      blank_index: The class that stands for no label, negative to count from the end; the last by default.

    Returns:
      A list of one `SparseTensor` of int64 labels, and for each sequence the negative sum of the logits along its path,
      [batch, 1].

    >>> (best,), _ = tf.nn.ctc_greedy_decoder(tf.constant([[[0.0, 9.0, 0.0]], [[0.0, 0.0, 9.0]]]), [2])
    >>> best.values.numpy().tolist()
    [1]
    """
    attrs = {"merge_repeated": bool(merge_repeated), "blank_index": -1 if blank_index is None else blank_index}
    parts = call(
        "CTCGreedyDecoder", (convert_to_tensor(inputs), convert_to_tensor(sequence_length, dtypes.int32)), attrs
    )
    return decoded(parts, 1)


@export("nn.ctc_beam_search_decoder")
def ctc_beam_search_decoder(inputs, sequence_length, beam_width=100, top_paths=1):
    """Finds the most probable label sequences by beam search; the last class is the blank.

    Args:
      inputs: Logits [time, batch, classes].
      sequence_length: How many time steps each sequence has.
      beam_width: How many sequences the search keeps at each step.
      top_paths: How many sequences to return, at most `beam_width`.

    Returns:
      A list of `top_paths` int64 `SparseTensor`s, the most probable first, and their log probabilities, [batch,
      `top_paths`].

    >>> logits = tf.math.log([[[0.1, 0.8, 0.1]], [[0.6, 0.2, 0.2]]])
    >>> (path,), score = tf.nn.ctc_beam_search_decoder(logits, [2], beam_width=4)
    >>> path.values.numpy().tolist()
    [1, 0]
    """
    attrs = {"beam_width": beam_width, "top_paths": top_paths, "merge_repeated": False}
    parts = call(
        "CTCBeamSearchDecoder", (convert_to_tensor(inputs), convert_to_tensor(sequence_length, dtypes.int32)), attrs
    )
    return decoded(parts, top_paths)
