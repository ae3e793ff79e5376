"""`tf.compat.v1.nn.ctc_loss` and the decoder with `merge_repeated`: the last class is the blank, labels are sparse."""

from __future__ import annotations

from reflow.api.array import arrange as array
from reflow.api.call import call
from reflow.api.export import export, export_value
from reflow.api.nn.ctc import ctc_beam_search_decoder, ctc_loss, decoded, sparse_loss
from reflow.core import dtypes
from reflow.ops.convert import convert_to_tensor

export_value(ctc_loss, "compat.v1.nn.ctc_loss_v2")
export_value(ctc_beam_search_decoder, "compat.v1.nn.ctc_beam_search_decoder_v2")

@export("compat.v1.nn.ctc_loss")
def ctc_loss_v1(
    labels, inputs=None, sequence_length=None, preprocess_collapse_repeated=False, ctc_merge_repeated=True,
    ignore_longer_outputs_than_inputs=False, time_major=True, logits=None,
):
    """Minus the log probability that the logits spell sparse labels.

    Args:
      labels: A `SparseTensor` of class numbers, [batch, labels].
      inputs: Floats [time, batch, classes]; the last class is the blank.
      sequence_length: How many time steps each sequence has.
      preprocess_collapse_repeated: Whether labels that equal the one before them are dropped first.
      ctc_merge_repeated: Whether a label that is emitted twice in a row counts once.
      ignore_longer_outputs_than_inputs: Whether the loss of a sequence with more labels than time steps is 0.
      time_major: Whether time is the first axis; otherwise the batch is.
      logits: Another name of `inputs`.

    Returns:
      A vector with a loss for each sequence; infinite where the labels do not fit into the time.

    Raises:
      InvalidArgumentError: A sequence has more labels than time steps, no labels, or a label after a blank.

    >>> labels = tf.sparse.from_dense([[1]])      # one text of one letter; the last class is the blank
    >>> logits = tf.zeros([2, 1, 3])      # two steps, one text, three classes
    >>> print(tf.compat.v1.nn.ctc_loss(labels, logits, sequence_length=[2]).numpy().round(3))
    [1.099]
    """
    logits = convert_to_tensor(inputs if logits is None else logits)
    logits = logits if time_major else array.transpose(logits, [1, 0, 2])
    return sparse_loss(
        labels, logits, sequence_length, preprocess_collapse_repeated, ctc_merge_repeated,
        ignore_longer_outputs_than_inputs,
    )


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
