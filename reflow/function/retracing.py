"""Detects excessive retracing: the warning, and which argument changed.

Calls are counted per source location, so a `@tf.function` that is created again in every iteration of a loop is noticed
too.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from reflow.core import nest
from reflow.core.logging import warn
from reflow.core.specs import TensorSpec, TypeSpec
from reflow.core.types import Structure
from reflow.function.trace_key import accepts

if TYPE_CHECKING:
    from reflow.function.function import Function

HISTORY = 10  # number of recent calls to consider
THRESHOLD = 5  # traces among them that trigger the warning
MAX_WARNINGS = 2  # per function
MAX_DETECTORS = 1024  # source locations to remember


class Traced(NamedTuple):
    """A finished trace: its function, its arguments (`before`:
    those of the previous trace, or None), and its duration in seconds."""

    function: Function
    before: Structure | None
    structure: Structure
    names: Sequence[str]
    seconds: float


#: listeners that are told of every trace (`reflow explain`)
LISTENERS: list[Callable[[Traced], None]] = []


class Detector:
    """Counts the calls of a function and those that traced it.

    >>> d = Detector()
    >>> [d.traced() for _ in range(7)]
    [None, None, None, None, (5, 5), (6, 6), None]
    """

    __slots__ = ("_calls", "_per_trace", "_warnings", "fast_calls")

    def __init__(self) -> None:
        self.fast_calls = 0  # fast-path calls of any of the functions: added to the others at the next trace
        self._calls = 0
        self._per_trace: list = []  # for each trace: the number of calls it served, including the first
        self._warnings = 0

    def called(self, count: int = 1) -> None:
        """Count calls that found their trace."""
        if not self._per_trace:
            self._per_trace.append(0)
        self._per_trace[-1] += count
        self._calls += count

    def traced(self) -> tuple[int, int] | None:
        """Count a call that had to trace; returns (traces, calls) if there are too many."""
        if self.fast_calls:
            self.called(self.fast_calls)
            self.fast_calls = 0
        self._calls += 1
        self._per_trace.append(1)
        while self._calls - self._per_trace[0] > HISTORY:
            self._calls -= self._per_trace.pop(0)
        if self._warnings >= MAX_WARNINGS or len(self._per_trace) < THRESHOLD:
            return None
        self._warnings += 1
        return len(self._per_trace), self._calls


_detectors: OrderedDict = OrderedDict()


def detector_for(function: Callable[..., Any]) -> Detector:
    """The detector of a Python function: one for all functions created at the same source location."""
    code = getattr(getattr(function, "__wrapped__", function), "__code__", None)  # of a method: the user's
    key = code if code is not None else id(function)
    found = _detectors.get(key)
    if found is None:
        found = _detectors[key] = Detector()
        if len(_detectors) > MAX_DETECTORS:
            _detectors.popitem(last=False)
    return found


def warn_about(function: Callable[..., Any], traces: int, calls: int, changed: str) -> None:
    """The retracing warning: TensorFlow's, and the argument that changed."""
    warn(
        f"{traces} out of the last {calls} calls to {function} triggered tf.function retracing. Tracing is expensive "
        "and the excessive number of tracings could be due to (1) creating @tf.function repeatedly in a loop, (2) "
        "passing tensors with different shapes, (3) passing Python objects instead of tensors. For (1), please define "
        "your @tf.function outside of the loop. For (2), @tf.function has reduce_retracing=True option that can avoid "
        "unnecessary retracing. For (3), please refer to "
        "https://www.tensorflow.org/guide/function#controlling_retracing and "
        f"https://www.tensorflow.org/api_docs/python/tf/function for  more details.{changed}"
    )


def what_changed(old: Structure, new: Structure, names: Sequence[str]) -> str:
    """Which arguments differ between two traces, as text."""
    if old is None:
        return " This time it was traced because the function itself is new."
    changes = differences(old, new, names)
    if changes is None:
        return " This time it was traced because the structure of its arguments changed."
    different = [f"'{path}' (from {a!r} to {b!r})" for path, a, b in changes]
    return f" This time it was traced because of the argument {', '.join(different)}." if different else ""


def differences(old: Structure, new: Structure, names: Sequence[str]) -> list[tuple[str, Any, Any]] | None:
    """The arguments that differ between two traces, as (name, before, after); None if their structures differ."""
    before, after = nest.flatten(old), nest.flatten(new)
    if len(before) != len(after):
        return None
    return [
        (path, a, b)
        for path, a, b in zip(_paths(new, names), before, after, strict=True)
        if not accepts(((a,), {}), ((b,), {}))
    ]


def named_leaves(structure: Structure, names: Sequence[str]) -> list[tuple[str, Any]]:
    """The arguments of a trace, each with its name."""
    return list(zip(_paths(structure, names), nest.flatten(structure), strict=True))


def brief(leaf: Any) -> str:
    """An argument of a trace in short form: `float32[None,3]` for a tensor, the value for a constant."""
    if isinstance(leaf, TensorSpec):
        dims = leaf.shape._dims
        return leaf.dtype.name if dims is None else f"{leaf.dtype.name}[{','.join(map(str, dims))}]"
    return type(leaf).__name__ if isinstance(leaf, TypeSpec) else repr(leaf)[:40]


def _paths(structure: Structure, names: Sequence[str]) -> list:
    """The name of each leaf of the arguments: `x`, `y['k'][0]`."""
    args, kwargs = structure
    named = [(names[i] if i < len(names) else f"args_{i}", a) for i, a in enumerate(args)]
    return [path for name, a in [*named, *kwargs.items()] for path in _below(name, a)]


def _below(path: str, structure: Structure) -> list:
    if not nest.is_nested(structure):
        return [path]
    return [p for key, child in nest._items(structure) for p in _below(f"{path}[{key!r}]", child)]
