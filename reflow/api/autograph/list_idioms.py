"""List idioms of converted code: `l = []`, `l.append(x)`, `l.pop()`, `l[i]`, `l[i] = x`. Only with `Feature.LISTS`.

An empty list in a graph is a tensor list (a variant tensor), which a loop can carry; a list with elements stays a
Python list.
"""

from __future__ import annotations

import collections
from typing import Any

from reflow.api.array.indexing import tensor_scatter_nd_update
from reflow.core import dtypes
from reflow.core.context import state
from reflow.core.tensor import Tensor, is_tensor
from reflow.function import control_flow
from reflow.ops.convert import constant, convert_to_tensor
from reflow.ops.dispatch import run

__all__ = [
    "GetItemOpts", "ListPopOpts", "ListStackOpts", "get_item", "list_append", "list_pop", "list_stack", "new_list",
    "set_item",
]

GetItemOpts = collections.namedtuple("GetItemOpts", ("element_dtype",))
ListPopOpts = collections.namedtuple("ListPopOpts", ("element_dtype", "element_shape"))
ListStackOpts = collections.namedtuple("ListStackOpts", ("element_dtype", "original_call"))


def _is_list(x: Any) -> bool:
    return isinstance(x, Tensor) and x.dtype is dtypes.variant


def _empty(dtype: dtypes.DType, shape: Tensor) -> Tensor:
    return run("EmptyTensorList", shape, constant(-1), element_dtype=dtype)


def new_list(iterable: Any = None) -> Any:
    """`[...]`."""
    elements = list(iterable or ())
    return elements if elements or state.graph is None else _empty(dtypes.variant, constant(-1))


def list_append(list_: Any, x: Any) -> Any:
    """The list with `x` at its end."""
    if getattr(list_, "_is_tensor_array", False):
        return list_.write(list_.size(), x)
    if not is_tensor(list_):
        list_.append(x)
        return list_
    if not _is_list(list_):
        raise ValueError(f"tensor lists are expected to be Tensors with dtype=tf.variant, instead found {list_}")
    x = convert_to_tensor(x)
    typed = control_flow.cond(  # an empty list has no element type yet
        run("TensorListLength", list_) > 0, lambda: list_, lambda: _empty(x.dtype, constant(-1))
    )
    return run("TensorListPushBack", typed, x, element_dtype=x.dtype)


def list_pop(list_: Any, i: Any, opts: Any) -> Any:
    """The list without its last element, and that element."""
    if getattr(list_, "_is_tensor_array", False):
        raise ValueError("TensorArray does not support item removal")
    if not is_tensor(list_):
        x = list_.pop() if i is None else list_.pop(i)
        return list_, x
    if not _is_list(list_):
        raise ValueError(f"tensor lists are expected to be Tensors with dtype=tf.variant, instead found {list_}")
    if i is not None:
        raise NotImplementedError("tensor lists only support removing from the end")
    if opts.element_dtype is None:
        raise ValueError("cannot pop from a list without knowing its element type; use set_element_type to annotate it")
    rest, x = run("TensorListPopBack", list_, constant(-1), element_dtype=opts.element_dtype)
    if opts.element_shape is not None:
        x.set_shape(opts.element_shape)
    return rest, x


def list_stack(list_: Any, opts: Any) -> Any:
    """All elements as one tensor."""
    if getattr(list_, "_is_tensor_array", False):
        return list_.stack()
    if not is_tensor(list_):
        return opts.original_call(list_)
    if not _is_list(list_):
        return list_
    if opts.element_dtype is None:
        raise ValueError("cannot stack a list without knowing its element type; use set_element_type to annotate it")
    return run("TensorListStack", list_, constant(-1), element_dtype=opts.element_dtype, num_elements=-1)


def get_item(target: Any, i: Any, opts: Any) -> Any:
    """`target[i]`."""
    if getattr(target, "_is_tensor_array", False):
        return target.read(i)
    if _is_list(target):
        if opts.element_dtype is None:
            raise ValueError(
                "cannot retrieve from a list without knowing its element type; use set_element_type to annotate it"
            )
        place = convert_to_tensor(i, dtypes.int32)
        return run("TensorListGetItem", target, place, constant(-1), element_dtype=opts.element_dtype)
    return target[i]


def set_item(target: Any, i: Any, x: Any) -> Any:
    """`target[i] = x`; the new target."""
    if getattr(target, "_is_tensor_array", False):
        return target.write(i, x)
    if _is_list(target):
        x = convert_to_tensor(x)
        return run("TensorListSetItem", target, convert_to_tensor(i, dtypes.int32), x, element_dtype=x.dtype)
    if isinstance(target, Tensor):
        return tensor_scatter_nd_update(target, ((i,),), (x,))
    target[i] = x
    return target
