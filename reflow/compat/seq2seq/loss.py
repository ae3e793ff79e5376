"""`tf.contrib.seq2seq.sequence_loss`: the cross entropy of sequences."""

from __future__ import annotations

from reflow.api.math import arithmetic, reduce
from reflow.api.nn import losses as nn_losses


def sequence_loss(
    logits, targets, weights, average_across_timesteps=True, average_across_batch=True, softmax_loss_function=None,
    name=None,
):
    """The weighted cross entropy of sequences: [batch, time, classes] logits, [batch, time] targets and weights."""
    if len(logits.shape) != 3:
        raise ValueError("Logits must be a [batch_size x sequence_length x logits] tensor")
    entropy = (
        nn_losses.sparse_softmax_cross_entropy_with_logits if softmax_loss_function is None else softmax_loss_function
    )
    losses = entropy(labels=targets, logits=logits) * weights
    axes = [axis for axis, averaged in ((0, average_across_batch), (1, average_across_timesteps)) if averaged]
    if not axes:
        return losses
    total = reduce.reduce_sum(weights, axis=axes) + 1e-12
    return arithmetic.divide(reduce.reduce_sum(losses, axis=axes), total, name=name)


