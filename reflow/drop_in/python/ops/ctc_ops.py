"""`tensorflow.python.ops.ctc_ops`: labels as sparse tensors, the loss of dense ones, the ends of paths."""

from __future__ import annotations

from typing import Any

import numpy as np

from reflow.api.array import arrange, creation, indexing
from reflow.api.control import functional
from reflow.api.math import arithmetic, reduce
from reflow.api.nn.ctc import ctc_loss
from reflow.core import dtypes, nest
from reflow.core.sparse import SparseTensor
from reflow.ops.convert import convert_to_tensor

#: stands for log(0)
_LOG_0 = float(np.log(1e-307))


def dense_labels_to_sparse(dense: Any, length: Any) -> SparseTensor:
    """The first `length` labels of each row as a sparse tensor of int32; its second size is the longest length."""
    dense = convert_to_tensor(dense)
    mask = creation.sequence_mask(length, arrange.shape(dense)[1])
    shape = arrange.stack(
        [arrange.shape(dense, dtypes.int64)[0], arithmetic.cast(reduce.reduce_max(length), dtypes.int64)]
    )
    places = arithmetic.where(mask)
    return SparseTensor(places, arithmetic.cast(indexing.boolean_mask(dense, mask), dtypes.int32), shape)


def ctc_loss_dense(
    labels: Any, logits: Any, label_length: Any, logit_length: Any, logits_time_major: bool = True, unique: Any = None,
    blank_index: int = 0, name: str | None = None,
) -> Any:  # fmt: skip
    """The CTC loss of labels in a dense matrix."""
    return ctc_loss(labels, logits, label_length, logit_length, logits_time_major, unique, blank_index, name)


def ctc_state_log_probs(seq_lengths: Any, max_seq_length: int) -> tuple[Any, Any]:
    """(first, last): the logarithms of the chances that a path begins, and may end, in each state.

    States are blanks and labels in pairs.
    """
    lengths = convert_to_tensor(seq_lengths)
    batch, states = arrange.shape(lengths)[0], max_seq_length + 1
    first = creation.one_hot(creation.zeros([batch], dtypes.int32), 2 * states, 0.0, _LOG_0, 1)
    last = (1.0 - creation.one_hot(lengths, states)) * _LOG_0
    return first, arrange.tile(last, [1, 2])


def _scan(
    fn: Any, elems: Any, initial: Any, reverse: bool = False, inclusive: bool = False, final_only: bool = False
) -> Any:
    """The states that `fn(state, element)` leads through from `initial`;
    that one too if `inclusive`, and the last alone if `final_only`."""
    first = nest.map_structure(convert_to_tensor, initial)
    states = functional.scan(fn, elems, first, reverse=reverse)
    if final_only:
        return nest.map_structure(lambda s: s[0 if reverse else -1], states)
    if not inclusive:
        return states
    return nest.map_structure(lambda s, f: arrange.concat([s, f[None]] if reverse else [f[None], s], 0), states, first)
