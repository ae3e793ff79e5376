"""Decoding the outputs of a network trained with the CTC loss, on the host: the length of a result depends on values.

Inputs are [time, batch, classes]. A *path* names a class for each step; merging repeated classes and dropping the
*blank* makes it a sequence of labels.
"""

from __future__ import annotations

import heapq

import numpy as np

from reflow.core.errors import FailedPreconditionError
from reflow.ops.registry import NO_GRADIENT, op


def _check(inputs, sequence_length):
    if len(sequence_length) != inputs.shape[1]:
        raise ValueError(
            f"len(sequence_length) != batch_size.  len(sequence_length):  {len(sequence_length)} "
            f"batch_size: {inputs.shape[1]}"
        )
    if (sequence_length > inputs.shape[0]).any():
        first = int((sequence_length > inputs.shape[0]).argmax())
        raise FailedPreconditionError(None, None, f"sequence_length({first}) <= {inputs.shape[0]}")


def _as_sparse(sequences):
    """Sequences of labels as indices, values, shape."""
    indices = [(row, i) for row, labels in enumerate(sequences) for i in range(len(labels))]
    return (
        np.array(indices, np.int64).reshape(-1, 2),
        np.array([n for labels in sequences for n in labels], np.int64),
        np.array([len(sequences), max((len(labels) for labels in sequences), default=0)], np.int64),
    )


def _batch(f):
    """The number of sequences, from the inputs or from their lengths."""
    known = [dims[at] for dims, at in zip(f.shapes, (1, 0), strict=True) if dims is not None and dims[at] is not None]
    return known[0] if known else None


def _greedy_shape(f):
    return [(None, 2), (None,), (2,), (_batch(f), 1)]


@op("CTCGreedyDecoder", fits="[_,n,_] [n]", shape=_greedy_shape, host=True, grad=NO_GRADIENT)
def ctc_greedy_decoder(_, inputs, sequence_length, merge_repeated=False, blank_index=-1):
    _check(inputs, sequence_length)
    classes = inputs.shape[2]
    if not -classes <= blank_index < classes:
        raise ValueError(f"blank_index expected to be between {-classes} and {classes - 1} but was {blank_index}")
    blank = blank_index % classes
    best = inputs.argmax(2)
    found, scores = [], np.zeros((inputs.shape[1], 1), inputs.dtype)
    for row, length in enumerate(sequence_length.tolist()):
        labels, last = [], -1
        for t in range(length):
            label = int(best[t, row])
            if label != blank and not (merge_repeated and label == last):
                labels.append(label)
            last = label
        found.append(labels)
        scores[row, 0] = -inputs[np.arange(length), row, best[:length, row]].sum()
    return *_as_sparse(found), scores


def _beam_shape(f):
    paths = f.attrs["top_paths"]
    return [(None, 2)] * paths + [(None,)] * paths + [(2,)] * paths + [(_batch(f), paths)]


def _beam_search(log_probs, width):
    """Prefixes and their log probabilities, best first. A prefix ends in a blank or in its last label: two
    probabilities each."""
    steps, classes = log_probs.shape
    blank, none = classes - 1, -np.inf
    beam = {(): (0.0, none)}  # prefix -> (ends in a blank, ends in a label)
    for t in range(steps):
        now = log_probs[t].astype(np.float64)
        grown: dict = {}

        def add(prefix, ends_blank, ends_label, grown=grown):
            old = grown.get(prefix, (none, none))
            grown[prefix] = (np.logaddexp(old[0], ends_blank), np.logaddexp(old[1], ends_label))

        for prefix, (ends_blank, ends_label) in beam.items():
            total = np.logaddexp(ends_blank, ends_label)
            add(prefix, total + now[blank], ends_label + now[prefix[-1]] if prefix else none)
            for label in range(classes - 1):
                before = ends_blank if prefix and prefix[-1] == label else total
                if before + now[label] > none:  # NaN is not a candidate
                    add((*prefix, label), none, before + now[label])
        beam = dict(heapq.nlargest(width, grown.items(), key=lambda kv: np.logaddexp(*kv[1])))
    return sorted(((np.logaddexp(*p), prefix) for prefix, p in beam.items()), key=lambda pair: -pair[0])


@op("CTCBeamSearchDecoder", fits="[_,n,_] [n]", shape=_beam_shape, host=True, grad=NO_GRADIENT)
def ctc_beam_search_decoder(_, inputs, sequence_length, beam_width, top_paths, merge_repeated=True):
    _check(inputs, sequence_length)
    if top_paths > beam_width:
        raise ValueError(
            f"Beam width must be at least the number of paths. Received: beam_width={beam_width}, top_paths={top_paths}"
        )
    wide = inputs.astype(np.float64)
    wide = wide - wide.max(2, keepdims=True)
    log_probs = wide - np.log(np.exp(wide).sum(2, keepdims=True))
    paths: list = [[] for _ in range(top_paths)]
    scores = np.zeros((inputs.shape[1], top_paths), inputs.dtype)
    for row, length in enumerate(sequence_length.tolist()):
        found = _beam_search(log_probs[: max(length, 0), row], beam_width)
        if len(found) < top_paths:
            raise ValueError("Less leaves in the beam search than requested.")
        for i in range(top_paths):
            score, labels = found[i]
            if merge_repeated:
                labels = [n for j, n in enumerate(labels) if j == 0 or n != labels[j - 1]]
            paths[i].append(labels)
            scores[row, i] = score
    parts = [_as_sparse(p) for p in paths]
    return *(p[0] for p in parts), *(p[1] for p in parts), *(p[2] for p in parts), scores
