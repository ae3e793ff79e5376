"""`tf.case` and `tf.switch_case`: choose one of several functions, by predicates or by a number."""

from __future__ import annotations

from reflow.api.array.arrange import stack
from reflow.api.control.printing import assert_
from reflow.api.export import export
from reflow.api.math import arithmetic, reduce
from reflow.core import dtypes
from reflow.core.context import state
from reflow.core.name_scope import name_scope
from reflow.core.tensor import is_tensor
from reflow.function.control_flow import cond, switch
from reflow.ops.convert import convert_to_tensor


def _pairs(given, name: str) -> list:
    """The (key, function) pairs of a list, tuple or dict; a plain list of functions is numbered by the caller."""
    if not isinstance(given, (list, tuple, dict)):
        raise TypeError(f"'{name}' must be a list, tuple, or dict" + _received(given, name))
    pairs = list(given.items()) if isinstance(given, dict) else list(given)
    for pair in pairs:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError(f"Each entry in '{name}' must be a 2-tuple. Received {pair}.")
    return pairs


def _received(given, name: str) -> str:
    return f". Received: {type(given)}" if name == "pred_fn_pairs" else ""


# --- by number


@export("switch_case")
def switch_case(branch_index, branch_fns, default=None, name="switch_case"):
    """Calls the function whose number is given.

    Args:
      branch_index: A scalar tensor of integers.
      branch_fns: Functions without arguments: a list, or pairs of numbers 0, 1, 2, … and functions, also as a
        dictionary.
      default: The function for any other number; by default the last one.
      name: A name for the operation.

    Returns:
      What the function returns.

    Raises:
      TypeError: `branch_index` is not an integer tensor, or something is not callable.
      ValueError: There are no functions, or their numbers are not 0, 1, 2, …

    >>> switch_case(tf.constant(1), [lambda: tf.constant(10), lambda: tf.constant(20)]).numpy().item()
    20
    """
    table = _numbered(branch_fns)
    functions = [table[i] for i in range(len(table))] + ([default] if default is not None else [])
    if not is_tensor(branch_index):
        raise TypeError(f"'branch_index' must be a Tensor, got {type(branch_index)}")
    index = convert_to_tensor(branch_index)
    if not index.dtype.is_integer:
        raise TypeError(f"'branch_index' must be an integer Tensor, got {index.dtype!s}")
    if index.dtype is not dtypes.int32:
        index = arithmetic.cast(index, dtypes.int32)
    return switch(index, functions, len(table), name)


def _numbered(branch_fns) -> dict:
    """The functions by their numbers, which must be 0, 1, 2, …"""
    if isinstance(branch_fns, (list, tuple)) and branch_fns and all(map(callable, branch_fns)):
        return dict(enumerate(branch_fns))
    pairs = _pairs(branch_fns, "branch_fns")
    if not pairs:
        raise ValueError("Must provide at least one item in 'branch_fns'")
    for key, function in pairs:
        if not isinstance(key, int):
            raise TypeError(f"key must be a Python `int`, got {type(key)}")
        if not callable(function):
            raise TypeError(f"fn for key {key} must be callable.")
    keys = [key for key, _ in pairs]
    if sorted(keys) != list(range(len(pairs))):
        shown = ",".join(map(str, keys))
        raise ValueError(
            f"branch indices (keys) must form contiguous range of [0 to {len(pairs)}) but found {{{shown}}}"
        )
    return dict(pairs)


# --- by predicates


@export("case")
def case(pred_fn_pairs, default=None, exclusive=False, strict=False, name="case"):
    """Calls the function of the first predicate that holds.

    Args:
      pred_fn_pairs: Pairs of a scalar bool tensor and a function without arguments; in a graph, or if `exclusive`, also
        a dictionary.
      default: The function for when none holds; without it one predicate must hold.
      exclusive: Whether to check, where there is a `default`, that no two predicates hold.
      strict: Whether a list of one result stays a list, in eager code.
      name: A name for the operation.

    Returns:
      What the function returns.

    Raises:
      InvalidArgumentError: No predicate holds and there is no `default`, or two hold and `exclusive` is set.
      TypeError: A predicate is not a bool tensor, or something is not callable.

    >>> x = tf.constant(3)
    >>> case([(x > 5, lambda: x), (x > 2, lambda: -x)], default=lambda: x * 0).numpy().item()
    -3
    """
    pairs = _checked(pred_fn_pairs, exclusive)
    predicates = [p for p, _ in pairs]
    if default is None:
        *pairs, (last, function) = pairs
        default = _one_of(last, predicates, function)
        if not pairs:
            return default()
    elif not callable(default):
        raise TypeError("'false_fn' must be callable.")
    elif exclusive:
        _check_exclusive(predicates)
    result = default
    for predicate, function in reversed(pairs):
        result = _either(predicate, function, result)
    with name_scope(name):
        return _single(result(), strict)


def _checked(pred_fn_pairs, exclusive) -> list:
    """The pairs of a predicate and a function."""
    if isinstance(pred_fn_pairs, dict) and state.graph is None and not exclusive:
        raise ValueError(
            "Unordered dictionaries are not supported for the 'pred_fn_pairs' argument when `exclusive=False` and "
            "eager mode is enabled."
        )
    pairs = [(p.deref() if hasattr(p, "deref") else p, f) for p, f in _pairs(pred_fn_pairs, "pred_fn_pairs")]
    if not pairs:
        raise ValueError("not enough values to unpack (expected 2, got 0)")
    for predicate, function in pairs:
        if not is_tensor(predicate):
            raise TypeError(f"pred must be a Tensor, got: {predicate}")
        if predicate.dtype is not dtypes.bool_:
            raise TypeError(f"pred must be Tensor of type bool: {_named(predicate)}")
        if not callable(function):
            raise TypeError(f"fn for pred {_named(predicate)} must be callable.")
    return pairs


def _named(predicate) -> str:
    return predicate.name if is_tensor(predicate) and state.graph is not None else str(predicate)


def _one_of(last, predicates, function):
    """The last function, if its predicate holds; reached when the others do not."""

    def run():
        message = "Input error: None of conditions evaluated as True:"
        assert_(last, [message, stack(predicates)], summarize=len(predicates))
        return function()

    return run


def _check_exclusive(predicates):
    """Fail if more than one predicate holds."""
    names = ", ".join(_named(p) if state.graph is not None else "?" for p in predicates)
    message = f"Input error: exclusive=True: more than 1 conditions ({names}) evaluated as True:"
    held = stack(predicates)
    count = reduce.reduce_sum(arithmetic.cast(held, dtypes.int32))
    assert_(count <= 1, [message, held], summarize=len(predicates))


def _either(predicate, function, otherwise):
    return lambda: cond(predicate, function, otherwise)


def _single(result, strict):
    """TensorFlow takes a single result out of its list, but only in eager code."""
    alone = state.graph is None and not strict and isinstance(result, (list, tuple)) and len(result) == 1
    return result[0] if alone else result
