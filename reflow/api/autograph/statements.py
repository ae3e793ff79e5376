"""Statements of converted code: `if`, `while`, `for`, and undefined names.

A block of the user's code arrives as functions without arguments that read and write its variables through `get_state`
and `set_state`. On plain values a statement does what Python does. On tensors in a graph it becomes `tf.cond` or
`tf.while_loop`: the variables become branch results or loop variables. They are checked by name before the loop is
built, so that errors name the user's variables. The messages are TensorFlow's.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, NoReturn, Self

import numpy as np

from reflow.core import dtypes, nest
from reflow.core.context import state
from reflow.core.errors import OperatorNotAllowedInGraphError
from reflow.core.scope import Scope
from reflow.core.shapes import TensorShape, includes
from reflow.core.tensor import Tensor, is_tensor
from reflow.core.types import Structure
from reflow.eager.variables import Variable
from reflow.function import control_flow
from reflow.graph.func_graph import FuncGraph
from reflow.ops.convert import convert_to_tensor
from reflow.ops.dispatch import run

__all__ = ["Undefined", "UndefinedReturnValue", "for_stmt", "if_exp", "if_stmt", "ld", "ldu", "while_stmt"]

LEGAL_LOOP_TYPES = "Tensor, int, float, bool or a list, tuple or dict thereof"
CONSISTENCY = (
    "\nSee "
    "https://github.com/tensorflow/tensorflow/blob/master/tensorflow/python/autograph/g3doc/reference/limitations.md"
    "#consistency-of-control-flow-types for more info."
)


Block = Callable[..., Any]
Test = Callable[[], Any]
GetState = Callable[[], tuple]
SetState = Callable[[tuple], None]


class LoopVariables(NamedTuple):
    """The variables that a loop reads and writes, and the options that the user set for the loop."""

    get: GetState
    set: SetState
    names: Sequence[str]
    opts: dict[str, Any]


class Undefined:
    """The value of a name that has not been assigned on this path."""

    __slots__ = ("symbol_name",)

    def __init__(self, symbol_name: str) -> None:
        self.symbol_name = symbol_name

    def read(self) -> NoReturn:
        raise UnboundLocalError(f"'{self.symbol_name}' is used before assignment")

    def __repr__(self) -> str:
        return self.symbol_name

    def __getattribute__(self, name: str) -> Any:
        try:
            return object.__getattribute__(self, name)
        except AttributeError:
            return self

    def __getitem__(self, i: Any) -> Any:
        return self


class UndefinedReturnValue:
    """The result of a function that has not returned.

    `zeros_allowed` once a loop in the graph carries it: see `_Loop`.
    """

    zeros_allowed = False


class Scopes(threading.local):
    """The converted functions that are running, innermost last."""

    def __init__(self) -> None:
        self.stack: list = []


scopes = Scopes()


class Run(Scope):
    """One run of a converted function."""

    returns_from_loop = False  # a loop in the graph may return: then zeros stood for the result until it did

    def _prepare(self) -> list:
        return scopes.stack

    def _apply(self, entry: list) -> Self:
        entry.append(self)
        return self

    def _undo(self, entry: list, late: bool) -> None:
        if self in entry:
            del entry[entry.index(self) :]

    def ret(self, value: Any, did_return: bool) -> Any:
        """The result of the function."""
        if isinstance(value, UndefinedReturnValue):
            return None
        if self.returns_from_loop and is_staged(did_return):
            check(
                did_return,
                "loop must iterate at least once to initialize the function return value: the function ended without "
                "a return statement",
            )
        return value


def check(condition: bool, message: str) -> None:
    """An `Assert` node, named as `tf.debugging.Assert` names it."""
    data, graph = convert_to_tensor(message), state.graph
    assert graph is not None  # statements become nodes only there
    with graph.scope("Assert"), graph.name_scope_for("Assert"):
        run("Assert", condition, data, T=[dtypes.string], summarize=3)


def ld(v: Any) -> Any:
    """Read a name."""
    return v.read() if isinstance(v, Undefined) else v


def ldu(load_v: Callable[[], Any], name: str) -> Any:
    """Read something like `self.x` or `d[k]`, which may not exist yet."""
    try:
        return load_v()
    except (KeyError, AttributeError, NameError):
        return Undefined(name)


def is_undefined(value: Any) -> bool:
    return isinstance(value, (Undefined, UndefinedReturnValue))


def is_staged(value: Any) -> bool:
    """Whether a condition on `value` belongs in the graph."""
    return state.graph is not None and is_tensor(value) and not _is_composite(value)


def _is_composite(value: Any) -> bool:
    return getattr(value, "_is_composite", False) and not isinstance(value, Variable)


def scalar_condition(cond: Any, tag: str) -> Any:
    """A condition as a scalar bool tensor."""
    hint = "to check for None, use `is not None`"
    cond = convert_to_tensor(cond)
    if cond.dtype is not dtypes.bool_:
        raise ValueError(
            f"condition of {tag} expected to be `tf.bool` scalar, got {cond}; to use as boolean "
            f"Tensor, use `tf.cast`; {hint}"
        )
    dims = cond.shape._dims
    if dims == ():
        return cond
    if dims is not None and int(np.prod([d for d in dims if d is not None])) > 1:
        raise ValueError(f"condition of {tag} expected to be `tf.bool` scalar, got {cond}; {hint}")
    return run("Reshape", cond, convert_to_tensor(np.zeros([0], np.int32)))


# --- if


def if_stmt(
    cond: Any, body: Block, orelse: Block, get_state: GetState, set_state: SetState, symbol_names: Sequence[str],
    nouts: int,
) -> None:
    """`if cond: body else: orelse`. The first `nouts` variables are used afterwards."""
    if not is_staged(cond):
        return body() if cond else orelse()
    cond = scalar_condition(cond, "if statement")
    before = get_state()
    missing = _missing_results(body, orelse, get_state, set_state, before, nouts)
    results: dict = {}

    def branch(run: Callable[[], Any], name: str) -> Callable[[], Any]:
        def traced() -> Any:
            set_state(before)
            run()
            values = list(get_state()[:nouts])
            for i, like in missing.items():
                if isinstance(values[i], UndefinedReturnValue):
                    values[i] = _zeros(like, None, None)[0]
            results[name] = values
            _check_defined(values, symbol_names, name)
            if len(results) == 2:
                _check_branches(results["main"], results["else"], symbol_names)
            return tuple(values)

        return traced

    final = list(control_flow.cond(cond, branch(body, "main"), branch(orelse, "else")))
    for i, like in missing.items():
        final[i] = before[i] if like is None else final[i]
    set_state((*final, *before[nouts:]))
    return None


def _missing_results(
    body: Block, orelse: Block, get_state: GetState, set_state: SetState, before: tuple, nouts: int
) -> dict:
    """For each result that a loop allows to be missing: what a branch makes of it, or None if no branch returns."""
    missing = {i: None for i, v in enumerate(before[:nouts]) if isinstance(v, UndefinedReturnValue) and v.zeros_allowed}
    if missing:
        for run in (body, orelse):
            with FuncGraph("tmp").as_default():
                set_state(before)
                run()
                after = get_state()
            for i in missing:
                if not is_undefined(after[i]):
                    missing[i] = after[i]
        set_state(before)
    return missing


def _check_defined(values: Sequence[Any], names: Sequence[str], branch_name: str) -> None:
    for name, value in zip(names, values, strict=False):
        if isinstance(value, Undefined):
            raise ValueError(f"'{name}' must also be initialized in the {branch_name} branch")
        if isinstance(value, UndefinedReturnValue):
            raise ValueError(f"the {branch_name} branch must also have a return statement.")


def _check_branches(main: Any, other: Any, names: Sequence[str]) -> None:
    for name, a, b in zip(names, main, other, strict=False):
        _check_structure(a, b, f"'{name}' must have the same nested structure in the main and else branches:")
        for x, y in zip(nest.flatten(a), nest.flatten(b), strict=True):
            check_branch_values(name, x, y)


def _check_structure(a: Any, b: Any, message: str) -> None:
    """Raises a TypeError that begins with `message` unless both have the same structure."""
    try:
        nest.assert_same_structure(_read(a), _read(b), expand_composites=True)
    except (ValueError, TypeError) as error:
        raise TypeError(f"{message}\n\n{error}") from error


def _read(structure: Structure) -> Structure:
    """A structure with variables replaced by their values."""
    return nest.map_structure(lambda x: convert_to_tensor(x) if isinstance(x, Variable) else x, structure)


def check_branch_values(name: str, a: Any, b: Any) -> None:
    """Whether two values may be the outcomes of one conditional."""
    for value, branch in ((a, "main"), (b, "else")):
        if value is None:
            raise ValueError(f"'{name}' is None at the end of the {branch} branch.")
    a, b = _plain_to_tensor(a), _plain_to_tensor(b)
    if isinstance(a, (Tensor, Variable)) and isinstance(b, (Tensor, Variable)) and a.dtype is not b.dtype:
        raise TypeError(
            f"'{name}' has dtype {a.dtype.name} in the main branch, but dtype {b.dtype.name} in the else branch"
        )


def _plain_to_tensor(x: Any) -> Any:
    return convert_to_tensor(x) if isinstance(x, (bool, int, float, str, np.ndarray)) else x


def if_exp(cond: Any, if_true: Callable[[], Any], if_false: Callable[[], Any], expr_repr: str) -> Any:
    """`if_true() if cond else if_false()`."""
    if not is_staged(cond):
        return if_true() if cond else if_false()
    seen: list = []

    def branch(run: Callable[[], Any]) -> Callable[[], Any]:
        def traced() -> Any:
            seen.append(run())
            if len(seen) == 2:
                check_branch_values(expr_repr, *seen)
            return seen[-1]

        return traced

    return control_flow.cond(scalar_condition(cond, "conditional expression"), branch(if_true), branch(if_false))


# --- while


def while_stmt(
    test: Test, body: Block, get_state: GetState, set_state: SetState, symbol_names: Sequence[str], opts: dict[str, Any]
) -> None:
    """`while test(): body()`."""
    if state.graph is None:
        first = test()
    else:  # evaluated once to see what it is, where it leaves no trace
        with FuncGraph("tmp").as_default():
            first = test()
        if is_staged(first):
            graph_loop(test, body, LoopVariables(get_state, set_state, symbol_names, opts))
            return
    while _python_truth(
        first,
        "The condition of while loop started as non-Tensor, then changed to Tensor. This may happen either because "
        "variables changed type, or when a break or return statement inside the loop depends on a Tensor "
        "condition. In both cases, changing to a TF loop should remove the error.",
    ):
        body()
        first = test()


def _python_truth(value: Any, complaint: str) -> bool:
    try:
        return bool(value)
    except OperatorNotAllowedInGraphError as error:
        raise NotImplementedError(complaint + CONSISTENCY) from error


def graph_loop(test: Test, body: Block, variables: LoopVariables) -> None:
    """A loop as a `While` node."""
    loop = _Loop(test, body, variables)
    loop.give_values_to_undefined()
    loop.build()


class _Loop:
    """One loop statement on its way into the graph."""

    def __init__(self, test: Test, body: Block, variables: LoopVariables) -> None:
        self.test, self.body = test, body
        self.get_state, self.set_state, self.names = variables.get, variables.set, variables.names
        self.before = tuple(variables.get())
        self.initial = self.before
        opts = dict(variables.opts)
        given = [(value, shape) for value, shape in opts.pop("shape_invariants", ())]
        self.invariants = [next((s for v, s in given if v is value), None) for value in self.initial]
        opts.pop("iterate_names", None)
        opts.pop("swap_memory", None)  # where intermediates live: XLA decides
        self.opts = opts
        self.needs_iteration = False

    # A name that only the body assigns gets zeros of the kind that one traced iteration makes of it, and the loop must
    # then run at least once. The result of a function that returns from the loop gets zeros too; whether it did return
    # is checked at its end, so that a loop may return under a condition, which TensorFlow's may not.

    def give_values_to_undefined(self) -> None:
        missing = [value is None or is_undefined(value) for value in self.initial]
        if not any(missing):
            return
        after, note = None, None
        for value in self.initial:
            if isinstance(value, UndefinedReturnValue):
                value.zeros_allowed = scopes.stack[-1].returns_from_loop = True
        try:
            with FuncGraph("tmp").as_default():
                self.set_state(nest.map_structure(_without_value, self.initial))
                self.body()
                after = self.get_state()
            values = []
            for i, (value, lacks) in enumerate(zip(self.initial, missing, strict=True)):
                if lacks:
                    value, invariant = _zeros(after[i], self.invariants[i], value)
                    self.invariants[i] = self.invariants[i] if self.invariants[i] is not None else invariant
                values.append(value)
            self.initial = tuple(values)
            self.needs_iteration = any(
                m and not isinstance(v, UndefinedReturnValue) for m, v in zip(missing, self.before, strict=True)
            )
        except (UnboundLocalError, TypeError, ValueError, KeyError) as error:
            note = f"Note: AutoGraph tried to define it automatically, but ran into a {type(error).__name__}: {error}"
        finally:
            self.set_state(self.initial)
        check_initial(self.initial, self.names, after, note)

    def build(self) -> None:
        initial = self.initial
        invariants = self.invariants if any(s is not None for s in self.invariants) else None

        def run_test(ran: Any, values: tuple) -> Any:
            self.set_state(values)
            return scalar_condition(self.test(), "while loop")

        def run_body(ran: Any, values: tuple) -> Any:
            self.set_state(values)
            self.body()
            new = tuple(self.get_state())
            check_iteration(values, new, self.names, self.invariants)
            return (True,) * len(ran), new

        ran = (False,) if self.needs_iteration else ()
        if invariants is not None:
            _check_entry(self.names, initial, invariants)
            filled = tuple(
                nest.map_structure(lambda _: None, v) if s is None else s
                for v, s in zip(initial, invariants, strict=True)
            )
            self.opts["shape_invariants"] = ((None,) * len(ran), filled)
        ran, final = control_flow.while_loop(run_test, run_body, (ran, initial), **self.opts)
        if self.needs_iteration:
            self._require_iteration(ran[0])
        self.set_state(final)

    def _require_iteration(self, ran: Any) -> None:
        names = [name for name, v in zip(self.names, self.before, strict=True) if v is None or isinstance(v, Undefined)]
        check(ran, f"loop must iterate at least once to initialize {', '.join(names)}")


def _without_value(x: Any) -> Any:
    """A symbolic stand-in for a plain value that will be a loop variable."""
    if isinstance(x, (bool, int, float, str, np.ndarray, np.generic)):
        tensor = convert_to_tensor(x)
        return state.graph.placeholder(tensor.dtype, tensor.shape._dims)
    return x


def _zeros(like: Any, invariant: Any, original: Any) -> Any:
    """A value like one that the body made, and the shape that the loop variable must then have."""
    if like is None or is_undefined(like):
        return original, None
    if isinstance(like, (bool, int, float)):
        return type(like)(0), None
    if isinstance(like, (Tensor, Variable)):
        dims = like.shape._dims
        shape = TensorShape(dims) if invariant is None else invariant
        if shape._dims is None or dims is None:
            return _zero_tensor((), like.dtype), TensorShape(None)
        start = [(wanted or 0) if d is None else d for d, wanted in zip(dims, shape._dims, strict=True)]
        return _zero_tensor(start, like.dtype), shape if None in dims else None
    if nest.is_nested(like):
        wanted = [None] * len(nest.flatten(like)) if invariant is None else nest.flatten(invariant)
        pairs = [_zeros(x, s, None) for x, s in zip(nest.flatten(like), wanted, strict=True)]
        shapes = [s for _, s in pairs]
        packed = nest.pack_sequence_as(like, shapes) if any(s is not None for s in shapes) else None
        return nest.pack_sequence_as(like, [v for v, _ in pairs]), packed
    raise TypeError(
        f"Found an unsupported type '{type(like).__name__}' while creating placeholder for {like}. Supported types "
        "include Tensor, int, float, bool, list, tuple or dict."
    )


def _zero_tensor(dims: Sequence[int], dtype: Any) -> Tensor:
    if dtype is dtypes.string:
        return convert_to_tensor(np.full(tuple(dims), b"", object), dtype)
    if dtype.kind == "o":
        raise TypeError(f"A value of dtype {dtype.name} must be defined before the loop.")
    return convert_to_tensor(np.zeros(tuple(dims), dtype.as_numpy_dtype), dtype)


# --- checks of loop variables


def check_initial(
    values: Sequence[Any], names: Sequence[str], after: Sequence[Any] | None = None, note: str | None = None
) -> None:
    """Whether all variables of a loop have values that a loop can carry."""
    for i, (name, value) in enumerate(zip(names, values, strict=True)):
        if isinstance(value, UndefinedReturnValue):
            if after is not None and after[i] is not None and not is_undefined(after[i]):
                raise ValueError(
                    f"the return value from a TensorFlow loop may only be a {LEGAL_LOOP_TYPES}; got {type(after[i])}"
                )
            raise NotImplementedError(
                "a return statement cannot be placed inside this TensorFlow loop; this may happen if a return "
                "statement depends on a static Python condition such as a hyperparameter"
            )
        if value is None:
            raise ValueError(f"'{name}' is not allowed to be None before the loop")
        if isinstance(value, Undefined):
            raise ValueError(f"'{name}' must be defined before the loop" + (f"\n{note}" if note else ""))


def check_iteration(
    entry: Sequence[Any], exit_: Sequence[Any], names: Sequence[str], invariants: Sequence[Any],
    check_shapes: bool = True,
) -> None:
    """Whether one iteration keeps the structure, dtype and shape of every variable."""
    for name, before, after, shape in zip(names, entry, exit_, invariants, strict=True):
        _check_structure(before, after, f"'{name}' does not have the same nested structure after one iteration.")
        shapes = nest.flatten(shape) if shape is not None else [None] * len(nest.flatten(before))
        for a, b, s in zip(nest.flatten(before), nest.flatten(after), shapes, strict=True):
            _check_variable(name, a, b, s, check_shapes)


def _check_entry(names: Sequence[str], values: Sequence[Any], invariants: Sequence[Any]) -> None:
    """Whether the shape invariants admit what the loop begins with."""
    for name, value, invariant in zip(names, values, invariants, strict=True):
        for x, shape in zip(nest.flatten(value), nest.flatten(invariant), strict=False):
            x = _plain_to_tensor(x)
            if shape is not None and isinstance(x, (Tensor, Variable)) and not includes(shape._dims, x.shape._dims):
                raise ValueError(
                    f"'{name}' has shape {x.shape} before the loop, which does not conform with "
                    f"the shape invariant {shape}."
                )


def _check_variable(name: str, before: Any, after: Any, invariant: Any, check_shapes: bool) -> None:
    if after is None:
        raise ValueError(f"'{name}' is None at the end of the iteration.")
    before, after = _plain_to_tensor(before), _plain_to_tensor(after)
    if not isinstance(before, (Tensor, Variable)) or not isinstance(after, (Tensor, Variable)):
        return
    if before.dtype is not after.dtype:
        raise TypeError(
            f"'{name}' has dtype {before.dtype.name} before the loop, but dtype {after.dtype.name} after one iteration"
        )
    if not check_shapes or before.dtype.kind == "o":
        return
    new = after.shape
    if invariant is None:
        if not includes(before.shape._dims, new._dims):
            raise ValueError(
                f"'{name}' has shape {before.shape} before the loop, but shape {new} after one iteration. Use "
                "tf.autograph.experimental.set_loop_options to set shape invariants."
            )
        return
    if not includes(invariant._dims, new._dims):
        raise ValueError(
            f"'{name}' has shape {new} after one iteration, which does not conform with the "
            f"shape invariant {invariant}."
        )


# --- for


def for_stmt(
    iter_: Any, extra_test: Test | None, body: Block, get_state: GetState, set_state: SetState,
    symbol_names: Sequence[str], opts: dict[str, Any],
) -> None:
    """`for x in iter_: body(x)`, which stops when `extra_test()` is false: a `break` or `return` happened."""
    from reflow.api.autograph import iteration

    stage = None if state.graph is None else iteration.stage_for(iter_)
    if stage is not None:
        stage(iter_, extra_test, body, LoopVariables(get_state, set_state, symbol_names, opts))
        return
    if extra_test is None:
        for item in iter_:
            body(item)
        return
    complaint = (
        "break and return statements which depend on a TF condition are not supported in Python for loops. Did you "
        "intend to make it a TF loop?"
    )
    if _python_truth(extra_test(), complaint):
        for item in iter_:
            body(item)
            if not _python_truth(extra_test(), complaint):
                break
