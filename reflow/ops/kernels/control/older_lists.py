"""Ops on lists of tensors that a newer one replaced, or that only older graphs have."""

from __future__ import annotations

import numpy as np

from reflow.core.shapes import dims_of
from reflow.ops import shape_rules as rules
from reflow.ops.kernels.control import lists
from reflow.ops.kernels.control.lists import list_op
from reflow.ops.registry import NO_GRADIENT


@list_op("TensorListScatter", shape=rules.scalar, grad=NO_GRADIENT)
def tensor_list_scatter(_, tensor, indices, element_shape, element_dtype=None):
    return lists.tensor_list_scatter.kernel(_, tensor, indices, element_shape, np.array(-1), element_dtype)


@list_op("TensorListConcat", jit="between", shape=lambda f: [None, (None,)], grad=NO_GRADIENT)
def tensor_list_concat(_, input_handle, element_dtype, element_shape=None):
    dims = dims_of(element_shape)
    wanted = np.array(-1) if dims is None else np.array([-1 if d is None else d for d in dims], np.int64)
    return lists.tensor_list_concat.kernel(_, input_handle, wanted, np.zeros(0, np.int64), element_dtype)


@list_op("TensorListConcatLists", shape=rules.same, grad=NO_GRADIENT)
def tensor_list_concat_lists(_, input_a, input_b, element_dtype=None):
    """The elements of the first list, then those of the second."""
    return input_a.replaced(input_a.items + input_b.items)
