"""Superseded ops on tensor lists, and ones that only older graphs have."""

from __future__ import annotations

import numpy as np

from reflow.core import dtypes
from reflow.core.resources import ListFacts, boxed
from reflow.core.shapes import compatible, dims_of
from reflow.ops import shape_rules as rules
from reflow.ops.kernels.control import list_shapes as shapes
from reflow.ops.kernels.control import lists
from reflow.ops.kernels.control.lists import TensorList, invalid, list_op
from reflow.ops.registry import NO_GRADIENT
from reflow.ops.trace_words import Misfit, equal, rank_at_least


@list_op(
    "TensorListScatter", list_facts=shapes.new_list, shape=rules.scalar, grad=NO_GRADIENT, trace_check=shapes.scalars()
)
def tensor_list_scatter(_, tensor, indices, element_shape, element_dtype=None):
    return lists.tensor_list_scatter.kernel(_, tensor, indices, element_shape, np.array(-1), element_dtype)


@list_op("TensorListConcat", jit="between", shape=lambda f: [None, (None,)], grad=NO_GRADIENT)
def tensor_list_concat(_, input_handle, element_dtype, element_shape=None):
    dims = dims_of(element_shape)
    if dims == ():
        raise invalid("element_shape must not be empty")
    return lists.concatenated(input_handle, dims, np.zeros(0, np.int64), element_dtype)


def _filled(like: np.ndarray, lists) -> np.ndarray | TensorList:
    """New lists in the shape of others."""
    out = np.full(like.shape, None, object)
    for place, one in zip(np.ndindex(like.shape), lists, strict=True):
        out[place] = one
    return out if out.ndim else out.item()


@list_op("TensorListConcatLists", shape=rules.same, grad=NO_GRADIENT, trace_check=shapes.lists_to_join)
def tensor_list_concat_lists(_, input_a, input_b, element_dtype=None):
    """The elements of the first list, then those of the second; of vectors of lists, pair by pair."""
    first, second = boxed(input_a), boxed(input_b)
    if first.shape != second.shape:
        raise invalid(
            "input_a and input_b must be the same shape, but received shapes: "
            f"input_a={rules.text(first.shape)}, input_b={rules.text(second.shape)}"
        )
    joined = []
    for i, (a, b) in enumerate(zip(first.flat, second.flat, strict=True)):
        for name, one in (("input_a", a), ("input_b", b)):
            if element_dtype not in (None, one.dtype):
                raise invalid(f"{name}[{i}].dtype != element_dtype.  Saw: {one.dtype.name} vs. {element_dtype.name}")
        if a.dims != b.dims:
            raise invalid(
                f"input_a and input_b TensorList element shapes are not identical at index {i}.  "
                f"Saw {rules.text(a.dims)} vs. {rules.text(b.dims)}"
            )
        joined.append(a.replaced(a.items + b.items))
    return _filled(first, joined)


def _push_back_batch_shape(f):
    return [f.shapes[0]]


def _check_batch(f):
    handles, tensor = f.shapes
    if handles is not None and tensor is not None:
        rank_at_least(tensor, len(handles))
        for own, given in zip(handles, tensor, strict=False):
            equal(given, own)
    facts = f.values[0]
    if isinstance(facts, ListFacts) and facts.dtype is not f.dtypes[1]:
        own, given = facts.dtype.name, f.dtypes[1].name
        words = f"List has type {own} but trying to push element with type {given}"
        raise Misfit(f"Trying to push to list with wrong element dtype. {words}")


@list_op("TensorListPushBackBatch", shape=_push_back_batch_shape, grad=NO_GRADIENT, trace_check=_check_batch)
def tensor_list_push_back_batch(_, input_handles, tensor, element_dtype=None):
    """Each list of a vector with a row of a tensor appended."""
    handles = boxed(input_handles)
    if handles.shape != tensor.shape[: handles.ndim]:
        raise invalid(f"tensor.shape[0] != input_handles.size ({len(tensor) if tensor.ndim else 0} vs. {handles.size})")
    rows = tensor.reshape(handles.size, *tensor.shape[handles.ndim :])
    longer = []
    for i, one in enumerate(handles.flat):
        if one.dtype is not dtypes.FROM_NUMPY[tensor.dtype]:
            own, given = one.dtype.name, dtypes.FROM_NUMPY[tensor.dtype].name
            raise invalid(f"Invalid data type at index {i}; op elements {given} but list elements {own}")
        if not compatible(one.dims, rows.shape[1:]):
            raise invalid(
                f"Tried to append a tensor with incompatible shape to a list at index {i}. "
                f"Op element shape: {rules.text(rows.shape[1:])} list shape: {rules.text(one.dims)}"
            )
        longer.append(one.replaced((*one.items, rows[i, ...])))
    return _filled(handles, longer)
