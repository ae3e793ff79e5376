"""`tf.compat.v1.nn.ctc_loss` and the decoder with `merge_repeated`: the last class is the blank, labels are sparse."""

from __future__ import annotations

import math

from reflow.api.array import arrange as array
from reflow.api.array import creation, sorting
from reflow.api.array.creation import ones_like
from reflow.api.array.indexing import gather
from reflow.api.call import call
from reflow.api.export import export, export_value
from reflow.api.math import arithmetic as m
from reflow.api.math import reduce
from reflow.api.nn.ctc import ctc_beam_search_decoder, ctc_loss, decoded, dense_labels, path_loss
from reflow.core import dtypes
from reflow.ops.convert import convert_to_tensor

export_value(ctc_loss, "compat.v1.nn.ctc_loss_v2")
export_value(ctc_beam_search_decoder, "compat.v1.nn.ctc_beam_search_decoder_v2")

_NEVER = -1e30


@export("compat.v1.nn.ctc_loss")
def ctc_loss_v1(
    labels, inputs=None, sequence_length=None, preprocess_collapse_repeated=False, ctc_merge_repeated=True,
    ignore_longer_outputs_than_inputs=False, time_major=True, logits=None,
):
    """Minus the log probability that the logits spell sparse labels; infinite where the time is too short for them.

    `ignore_longer_outputs_than_inputs` changes nothing: on a CPU, TensorFlow 2.21 also gives infinity either way.

    >>> labels = tf.sparse.from_dense([[1]])      # one text of one letter; the last class is the blank
    >>> logits = tf.zeros([2, 1, 3])      # two steps, one text, three classes
    >>> print(tf.compat.v1.nn.ctc_loss(labels, logits, sequence_length=[2]).numpy().round(3))
    [1.099]
    """
    logits = convert_to_tensor(inputs if logits is None else logits)
    logits = logits if time_major else array.transpose(logits, [1, 0, 2])
    lengths = m.cast(convert_to_tensor(sequence_length), dtypes.int32)
    rows, counts = dense_labels(labels, -1)
    rows = m.cast(rows, dtypes.int32)
    if preprocess_collapse_repeated:
        rows, counts = _collapsed(rows, counts)
    blank = array.shape(logits)[-1] - 1
    loss = path_loss(rows, logits, counts, lengths, blank, _NEVER, ctc_merge_repeated)
    needed = counts + _repeats(rows, counts) if ctc_merge_repeated else counts
    return m.where(m.greater(needed, lengths), m.multiply(ones_like(loss), math.inf), loss)


def _repeated(rows, counts):
    """Where a label equals the one before it."""
    before = array.pad(rows, [[0, 0], [1, 0]], constant_values=-1)[:, :-1]
    present = m.less(creation.range(array.shape(rows)[1])[None], counts[:, None])
    return m.logical_and(m.equal(rows, before), present)


def _repeats(rows, counts):
    return reduce.reduce_sum(m.cast(_repeated(rows, counts), dtypes.int32), axis=1)


def _collapsed(rows, counts):
    """The labels without those that equal the one before, moved together."""
    present = m.less(creation.range(array.shape(rows)[1])[None], counts[:, None])
    order = sorting.argsort(
        m.cast(m.logical_or(_repeated(rows, counts), m.logical_not(present)), dtypes.int32), axis=1, stable=True
    )
    return gather(rows, order, batch_dims=1), counts - _repeats(rows, counts)


@export("compat.v1.nn.ctc_beam_search_decoder")
def ctc_beam_search_decoder_v1(inputs, sequence_length, beam_width=100, top_paths=1, merge_repeated=True):
    """The most probable sequences of labels, and their log probabilities.

    >>> # two steps, one text; the last class is the blank
    >>> logits = tf.constant([[[0.0, 5.0, 0.0]], [[0.0, 0.0, 5.0]]])
    >>> (decoded,), log_probability = tf.compat.v1.nn.ctc_beam_search_decoder(logits, sequence_length=[2])
    >>> tf.sparse.to_dense(decoded).numpy().tolist(), log_probability.numpy().round(3).tolist()
    ([[1]], [[-0.019999999552965164]])
    """
    attrs = {"beam_width": beam_width, "top_paths": top_paths, "merge_repeated": bool(merge_repeated)}
    given = (convert_to_tensor(inputs), convert_to_tensor(sequence_length, dtypes.int32))
    return decoded(call("CTCBeamSearchDecoder", given, attrs), top_paths)
