"""`CTCLoss`: minus the log probability that logits of [time, batch, classes] spell sparse labels, and its gradient, on
the host.

The last class is the *blank*. With a blank before, between and after its labels, a sequence becomes the states of a
walk through time: `forward[t, u]` is the log probability of all ways to be in state u at time t, `backward[t, u]` that
of all ways on from there.
"""

from __future__ import annotations

import numpy as np

from reflow.core.types import Array
from reflow.ops.dispatch import run
from reflow.ops.registry import op


def _log_softmax(logits: Array) -> Array:
    shifted = logits - logits.max(-1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))


def _moves(states: Array, blank: int, merge: bool) -> tuple[Array, Array]:
    """By state: whether a walk may stay there, and whether it may come from two states before."""
    stays = np.full(len(states), True) if merge else states == blank
    jumps = states != blank
    jumps[:2] = False
    if merge:
        jumps[2:] &= states[2:] != states[:-2]
    return stays, jumps


def _forward(scores: Array, stays: Array, jumps: Array) -> Array:
    """Log probabilities of all walks to each state, the score of the state itself included.

    `scores` is [time, states].
    """
    found = np.full(scores.shape, -np.inf)
    found[0, :2] = scores[0, :2]
    for t in range(1, len(scores)):
        before = found[t - 1]
        total = np.where(stays, before, -np.inf)
        total[1:] = np.logaddexp(total[1:], before[:-1])
        total[2:] = np.where(jumps[2:], np.logaddexp(total[2:], before[:-2]), total[2:])
        found[t] = total + scores[t]
    return found


def _row(logits: Array, labels: Array, merge: bool) -> tuple[float, Array]:
    """Loss and gradient of one sequence, [time, classes]."""
    blank = logits.shape[1] - 1
    log_y = _log_softmax(logits.astype(np.float64))
    states = np.full(2 * len(labels) + 1, blank)
    states[1::2] = labels
    scores = log_y[:, states]
    forward = _forward(scores, *_moves(states, blank, merge))
    # backwards, it is the same walk through the states in reverse
    backward = _forward(scores[::-1, ::-1], *_moves(states[::-1], blank, merge))[::-1, ::-1]
    total = np.logaddexp.reduce(forward[-1, -2:])
    gradient = np.exp(log_y)
    if np.isneginf(total):
        return np.inf, gradient
    share = np.exp(forward + backward - scores - total)
    for state, label in enumerate(states.tolist()):
        gradient[:, label] -= share[:, state]
    return -total, gradient


def _labels(indices: Array, values: Array, batch: int, blank: int, collapse: bool) -> list[tuple[Array, int]]:
    """The labels of each sequence, up to the first invalid one, and how many there were before any was dropped."""
    if len(indices) != len(values):
        raise ValueError(
            "labels_indices and labels_values must contain the same number of rows, but saw shapes: "
            f"[{','.join(map(str, indices.shape))}] vs. [{len(values)}]"
        )
    width = int(indices[:, 1].max()) + 1 if len(indices) else 0
    wrong = np.flatnonzero((indices < 0).any(1) | (indices[:, 0] >= batch))
    if wrong.size:
        at = ",".join(map(str, indices[wrong[0]]))
        raise ValueError(
            f"label SparseTensor is not valid: indices[{wrong[0]}] = [{at}] is out of bounds: need 0 <= "
            f"index < [{batch},{width}]"
        )
    for at in np.flatnonzero(np.diff(indices[:, 0] * width + indices[:, 1]) <= 0)[:1] + 1:
        place = ",".join(map(str, indices[at]))
        raise ValueError(f"label SparseTensor is not valid: indices[{at}] = [{place}] is repeated or out of order.")
    rows = []
    for row in range(batch):
        own = values[indices[:, 0] == row]
        if (own < 0).any():
            raise ValueError(f"All labels must be nonnegative integers, batch: {row} labels: {','.join(map(str, own))}")
        if not own.size:
            raise ValueError(f"Labels length is zero in batch {row}")
        given = len(own)
        if collapse:
            own = own[np.insert(own[1:] != own[:-1], 0, True)]
        ends = np.flatnonzero(own >= blank)
        end = int(ends[0]) if ends.size else len(own)
        if (own[end:] < blank).any():
            raise ValueError(
                "Saw a non-null label (index >= num_classes - 1) following a null label, batch: "
                f"{row} num_classes: {blank + 1} labels: {','.join(map(str, own))} labels seen so far: "
                f"{','.join(map(str, own[:end]))}"
            )
        rows.append((own[:end], given))
    return rows


def _check(inputs: Array, sequence_length: Array) -> None:
    time, batch, _ = inputs.shape
    if len(sequence_length) != batch:
        raise ValueError(
            f"len(sequence_length) != batch_size.  len(sequence_length):  {len(sequence_length)} batch_size: {batch}"
        )
    if (sequence_length < 0).any():
        raise ValueError(f"seq_len({np.flatnonzero(sequence_length < 0)[0]}) < 0")
    late = np.flatnonzero(sequence_length > time)
    if late.size:
        raise ValueError(f"sequence_length({late[0]}) <= {time}")


def _shape(f):
    time, batch, classes = f.shapes[0] or (None,) * 3
    lengths = f.shapes[3]
    batch = lengths[0] if batch is None and lengths is not None else batch
    return [(batch,), (time, batch, classes)]


def _gradient(attrs, inputs, outputs, cotangents, wanted):
    """The op has already computed it; the cotangent of that output is ignored."""
    from reflow.ops.convert import constant

    if cotangents[0] is None:
        return [None] * 4
    rows = run("ExpandDims", run("ExpandDims", cotangents[0], constant(0)), constant(-1))
    return [run("Mul", rows, outputs[1]), None, None, None]


_FACTS = dict(fits="[_,n,_] 2 1 [n]", shape=_shape, host=True, grad_tensors=_gradient)


@op("CTCLoss", **_FACTS)
def ctc_loss(
    _, inputs, labels_indices, labels_values, sequence_length, preprocess_collapse_repeated=False,
    ctc_merge_repeated=True, ignore_longer_outputs_than_inputs=False,
):
    _check(inputs, sequence_length)
    time, batch, classes = inputs.shape
    rows = _labels(labels_indices, labels_values, batch, classes - 1, preprocess_collapse_repeated)
    loss, gradient = np.zeros(batch, inputs.dtype), np.zeros(inputs.shape, inputs.dtype)
    for row, ((labels, given), length) in enumerate(zip(rows, sequence_length.tolist(), strict=True)):
        if given > length:
            if ignore_longer_outputs_than_inputs:
                continue
            raise ValueError(
                f"Not enough time for target transition sequence (required: {given}, available: "
                f"{length}){row}You can turn this error into a warning by using the flag "
                "ignore_longer_outputs_than_inputs"
            )
        if length:
            loss[row], gradient[:length, row] = _row(inputs[:length, row], labels, ctc_merge_repeated)
    return loss, gradient


@op("CTCLossV2", **_FACTS)
def ctc_loss_v2(
    xp, inputs, labels_indices, labels_values, sequence_length, preprocess_collapse_repeated=False,
    ctc_merge_repeated=True, ignore_longer_outputs_than_inputs=False,
):
    """The CTC loss with cuDNN's blank, which is class 0."""
    options = preprocess_collapse_repeated, ctc_merge_repeated, ignore_longer_outputs_than_inputs
    if (labels_values < 1).any():
        raise ValueError("labels_values must be positive: class 0 is the blank")
    loss, gradient = ctc_loss.kernel(
        xp, np.roll(inputs, -1, 2), labels_indices, labels_values - 1, sequence_length, *options
    )
    return loss, np.roll(gradient, 1, 2)
