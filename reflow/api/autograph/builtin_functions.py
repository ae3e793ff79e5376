"""Operators and builtin functions of converted code: `and`, `not`, `==`, `assert`, `len`, `range`, `print`, `map`, ...

On tensors and datasets inside a graph they build nodes; on everything else they are Python's.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

from reflow.api.array import arrange, creation, indexing, sorting
from reflow.api.autograph import status
from reflow.api.control import functional, py_functions
from reflow.api.math import arithmetic, reduce, unary
from reflow.api.strings import elementwise as strings
from reflow.core import dtypes, nest
from reflow.core.context import state
from reflow.core.tensor import Tensor, is_tensor
from reflow.function import control_flow
from reflow.ops import registry
from reflow.ops.convert import convert_to_tensor
from reflow.ops.dispatch import dispatch, run

__all__ = ["and_", "assert_stmt", "eq", "not_", "not_eq", "or_"]

UNSPECIFIED = object()


def _in_graph(x: Any) -> bool:
    return state.graph is not None and is_tensor(x)


def _is_dataset(x: Any) -> bool:
    return hasattr(x, "_variant_tensor") and hasattr(x, "element_spec") and hasattr(x, "enumerate")


# --- operators


def not_(a: Any) -> Any:
    """`not a`: of a tensor a tensor, also outside of a graph."""
    return run("LogicalNot", convert_to_tensor(a)) if is_tensor(a) else not a


def and_(a: Callable[[], Any], b: Callable[[], Any]) -> Any:
    """`a() and b()`."""
    first = a()
    if _in_graph(first):
        return control_flow.cond(first, b, lambda: first)
    return first and b()


def or_(a: Callable[[], Any], b: Callable[[], Any]) -> Any:
    """`a() or b()`."""
    first = a()
    if _in_graph(first):
        return control_flow.cond(first, lambda: first, b)
    return first or b()


def eq(a: Any, b: Any) -> Any:
    return arithmetic.equal(a, b) if _in_graph(a) or _in_graph(b) else a == b


def not_eq(a: Any, b: Any) -> Any:
    return not_(eq(a, b))


def assert_stmt(expression1: Any, expression2: Callable[[], Any] | None = None) -> None:
    """`assert expression1, expression2()`: in a graph, checked when the function runs."""
    if _in_graph(expression1):
        data = "Assertion error" if expression2 is None else expression2()
        data = [convert_to_tensor(x) for x in (data if isinstance(data, (list, tuple)) else [data])]
        dispatch(
            registry.get("Assert"),
            (convert_to_tensor(expression1), *data),
            {"T": [x.dtype for x in data], "summarize": 3},
        )
        return
    if not expression1:
        raise AssertionError(*(() if expression2 is None else (expression2(),)))


# --- builtin functions


def abs_(x: Any) -> Any:
    if _is_dataset(x):
        return x.map(status.autograph_artifact(lambda *e: nest.map_structure(abs_, e[0] if len(e) == 1 else e)))
    return unary.abs(x) if _in_graph(x) else abs(x)


def float_(x: Any = 0) -> Any:
    if not _in_graph(x):
        return float(x)
    return strings.to_number(x, dtypes.float32) if x.dtype is dtypes.string else arithmetic.cast(x, dtypes.float32)


def int_(x: Any = 0, base: Any = UNSPECIFIED) -> Any:
    if not _in_graph(x):
        return int(x) if base is UNSPECIFIED else int(x, base)
    if base not in (10, UNSPECIFIED):
        raise NotImplementedError(f"base {base} not supported for int")
    return strings.to_number(x, dtypes.int32) if x.dtype is dtypes.string else arithmetic.cast(x, dtypes.int32)


def len_(s: Any) -> Any:
    if state.graph is None:
        return len(s)
    if getattr(s, "_is_tensor_array", False):
        return s.size()
    if _is_dataset(s):
        return _dataset_len(s)
    if not is_tensor(s):
        return len(s)
    if s.dtype is dtypes.variant:
        return run("TensorListLength", s)
    if hasattr(s, "nrows"):
        return s.nrows()
    dims = s.shape._dims
    if dims:
        return dims[0] if dims[0] is not None else arrange.shape(s)[0]
    if dims == ():
        raise ValueError(f"len requires a non-scalar tensor, got one of shape {s.shape}")
    rank = arrange.rank(s)

    def refuse() -> Any:
        assert_stmt(convert_to_tensor(False), lambda: "len requires non-zero rank, got " + strings.as_string(rank))
        return 0

    return control_flow.cond(rank > 0, lambda: arrange.shape(s)[0], refuse)


def _dataset_len(dataset: Any) -> Tensor:
    count = dataset.cardinality()
    assert_stmt(
        count >= 0, lambda: [convert_to_tensor("len requires dataset with definitive cardinality, got "), count]
    )
    return count


def print_(*objects: Any, **kwargs: Any) -> Any:
    """`print`: with tensors among the objects, each time the function runs (only if the feature is on)."""
    unknown = set(kwargs) - {"sep", "end", "file", "flush"}
    if unknown:
        raise ValueError(f"invalid keyword arguments: {tuple(unknown)}")
    if not any(_in_graph(x) for x in objects):
        return print(*objects, **kwargs)
    where = [i for i, x in enumerate(objects) if is_tensor(x)]

    def show(*values: Any) -> Any:
        shown = list(objects)
        for i, value in zip(where, values, strict=True):
            value = value.numpy()
            shown[i] = value.decode("utf-8") if isinstance(value, bytes) else value
        print(*shown, **kwargs)
        return ()

    return py_functions.py_function(status.autograph_artifact(show), [convert_to_tensor(objects[i]) for i in where], [])


def _extreme(python: Callable[..., Any], reduction: Callable[..., Any]) -> Callable[..., Any]:
    def extreme(*args: Any, **kwargs: Any) -> Any:
        if not any(_in_graph(x) for x in args):
            return python(*args, **kwargs)
        if kwargs:
            raise ValueError(f"These keyword arguments are currently not supported: {tuple(kwargs)}")
        if len(args) > 1:
            return reduction(arrange.stack(args), axis=0)
        rank = args[0].shape.rank
        if rank not in (0, 1):
            raise ValueError(
                f"{python.__name__}(arg) currently support only tensor with rank 1, but got a tensor with rank {rank}"
            )
        return args[0] if rank == 0 else reduction(args[0], axis=0)

    return extreme


min_, max_ = _extreme(builtins.min, reduce.reduce_min), _extreme(builtins.max, reduce.reduce_max)


def range_(start_or_stop: Any, stop: Any = UNSPECIFIED, step: Any = UNSPECIFIED) -> Any:
    given = [x for x in (start_or_stop, stop, step) if x is not UNSPECIFIED]
    if not any(_in_graph(x) for x in given):
        return range(*given)
    if step is not UNSPECIFIED:
        return creation.range(start_or_stop, stop, step)
    # an empty range, where TensorFlow's own would complain
    if stop is not UNSPECIFIED:
        return creation.range(start_or_stop, arithmetic.maximum(start_or_stop, stop))
    return creation.range(arithmetic.maximum(start_or_stop, 0))


def enumerate_(s: Any, start: int = 0) -> Any:
    if _is_dataset(s):
        return s.enumerate(start)
    if state.graph is not None and getattr(s, "_is_distributed", False):
        raise NotImplementedError(
            f"enumerate not supported with {type(s).__name__} types within tf.functions. Use a for loop over the "
            "dataset and keep a separate counter instead."
        )
    return enumerate(s, start)


def zip_(*iterables: Any, strict: bool = False) -> Any:
    if iterables and all(_is_dataset(x) for x in iterables):
        if strict:
            raise ValueError("strict zip not supported by Dataset")
        return type(iterables[0]).zip(tuple(iterables))
    return zip(*iterables, strict=strict)


def _converted(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that a builtin will call, converted as if the user had called it."""
    if (
        not callable(function)
        or hasattr(function, "autograph_info__")
        or isinstance(function, type)
        or state.graph is None
    ):
        return function
    return status.tf_convert(function, status.control_status_ctx())


def map_(fn: Any, *iterables: Any) -> Any:
    if iterables and all(_is_dataset(x) for x in iterables):
        return type(iterables[0]).zip(tuple(iterables)).map(fn) if len(iterables) > 1 else iterables[0].map(fn)
    return map(_converted(fn), *iterables)


def filter_(function: Any, iterable: Any) -> Any:
    return iterable.filter(function) if _is_dataset(iterable) else filter(_converted(function), iterable)


def _bool_elements(dataset: Any, name: str) -> None:
    specs = nest.flatten(dataset.element_spec)
    if len(specs) != 1 or specs[0].dtype is not dtypes.bool_:
        raise ValueError(
            f'in graph mode, the "{name}" builtin only supports datasets that return bool scalars; got: '
            f'{dataset.element_spec}'
        )


def any_(iterable: Any) -> Any:
    if not _is_dataset(iterable):
        return any(iterable)
    _bool_elements(iterable, "any")
    return iterable.filter(_same).take(1).reduce(convert_to_tensor(False), _second)


def all_(iterable: Any) -> Any:
    if not _is_dataset(iterable):
        return all(iterable)
    _bool_elements(iterable, "all")
    return iterable.filter(not_).take(1).reduce(convert_to_tensor(True), _second)


def _same(x: Any) -> Any:
    return x


def _second(_: Any, y: Any) -> Any:
    return y


def sorted_(iterable: Any, key: Any = UNSPECIFIED, reverse: Any = UNSPECIFIED) -> Any:
    if not _in_graph(iterable):
        given = {"key": key, "reverse": reverse}
        return sorted(iterable, **{k: v for k, v in given.items() if v is not UNSPECIFIED})
    direction = "DESCENDING" if reverse is not UNSPECIFIED and reverse else "ASCENDING"
    keys = iterable if key is UNSPECIFIED or key is None else functional.map_fn(_converted(key), iterable)
    if keys.shape.rank not in (None, 1):
        raise ValueError("sort only supports only 1D tensors")
    if keys is iterable:
        return sorting.sort(iterable, direction=direction)
    return indexing.gather(iterable, sorting.argsort(keys, direction=direction))


def next_(iterator: Any, default: Any = UNSPECIFIED) -> Any:
    if default is UNSPECIFIED:
        return next(iterator)
    if state.graph is None or not hasattr(iterator, "get_next_as_optional"):
        return next(iterator, default)
    optional = iterator.get_next_as_optional()
    try:
        nest.assert_same_structure(default, iterator.element_spec)
    except (ValueError, TypeError) as error:
        raise TypeError(
            f"the default argument must have the same element structure as the iterate.\n\n{error}"
        ) from error
    for value, spec in zip(nest.flatten(default), nest.flatten(iterator.element_spec), strict=True):
        dtype = convert_to_tensor(value).dtype
        if dtype is not spec.dtype:
            raise TypeError(
                f"the default argument must have the same dtype as the iterate. Expected {spec.dtype!r}, got {dtype!r}"
            )
    return control_flow.cond(optional.has_value(), optional.get_value, lambda: default)


#: what converted code calls instead of a builtin
OVERLOADS = {
    builtins.abs: abs_,
    builtins.all: all_,
    builtins.any: any_,
    builtins.enumerate: enumerate_,
    builtins.filter: filter_,
    builtins.float: float_,
    builtins.int: int_,
    builtins.len: len_,
    builtins.map: map_,
    builtins.max: max_,
    builtins.min: min_,
    builtins.next: next_,
    builtins.print: print_,
    builtins.range: range_,
    builtins.sorted: sorted_,
    builtins.zip: zip_,
}
