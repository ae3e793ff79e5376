"""`for` in converted code over graph values: ranges, tensors, TensorArrays, datasets, iterators.

Each becomes a `while` loop with an extra variable (the counter, or whether there is a next element); a loop over a
dataset is a reduction of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from reflow.api.autograph.builtin_functions import len_
from reflow.api.autograph.statements import (
    Block,
    LoopVariables,
    Test,
    Undefined,
    check_initial,
    check_iteration,
    graph_loop,
)
from reflow.api.autograph.status import autograph_artifact
from reflow.api.control.tensor_array import TensorArray
from reflow.core import dtypes
from reflow.core.ragged import RaggedTensor
from reflow.core.tensor import is_tensor
from reflow.function import control_flow
from reflow.ops.convert import convert_to_tensor
from reflow.ops.kernels.array.making import range_
from reflow.ops.kernels.array.shaping import const


def stage_for(iter_: Any) -> Callable[..., None] | None:
    """The function that puts a loop over `iter_` into the graph, or None for Python's own loop."""
    if is_tensor(iter_):
        if getattr(iter_, "_is_symbolic", False) and iter_.op.record is range_:
            return _over_range
        if isinstance(iter_, RaggedTensor):
            return _over_ragged
        return _over_tensor
    if getattr(iter_, "_is_tensor_array", False):
        return _over_tensor_array
    if hasattr(iter_, "get_next_as_optional"):
        return _over_iterator
    if hasattr(iter_, "_variant_tensor") and hasattr(iter_, "element_spec") and hasattr(iter_, "reduce"):
        return _over_dataset
    return None


def _and(main: Test, extra_test: Test | None) -> Callable[[], Any]:
    return main if extra_test is None else control_flow.cond(main, extra_test, lambda: False)


class _Augmented:
    """The variables of a loop with one more in front, which the loop itself keeps."""

    def __init__(self, value: Any, loop: LoopVariables) -> None:
        self.value, self._loop = value, loop

    def get(self) -> tuple:
        return (self.value, *self._loop.get())

    def set(self, values: Sequence[Any]) -> None:
        self.value = values[0]
        self._loop.set(tuple(values[1:]))

    def named(self, name: str) -> LoopVariables:
        """All variables, the one in front under `name`."""
        return LoopVariables(self.get, self.set, (name, *self._loop.names), self._loop.opts)


def _over_range(iter_: Any, extra_test: Test | None, body: Block, loop: LoopVariables) -> None:
    """`tf.range` is not made: the loop counts."""
    start, limit, delta = iter_.op.inputs
    step = _constant(delta)

    def outer_state() -> tuple:  # the loop's own name has a value after the loop even if it had none before
        return tuple(
            variables.value if name == loop.opts.get("iterate_names") and isinstance(value, Undefined) else value
            for name, value in zip(loop.names, loop.get(), strict=True)
        )

    variables = _Augmented(start, loop._replace(get=outer_state))

    def run() -> None:
        here = variables.value
        body(here)
        variables.value = here + delta

    def test() -> Any:
        here = variables.value
        if step is None:
            main = ((delta >= 0) & (here < limit)) | ((delta < 0) & (here > limit))
        else:
            main = here < limit if step >= 0 else here > limit
        return _and(main, extra_test)

    graph_loop(test, run, variables.named("<internal iterate>"))


def _constant(tensor: Any) -> Any:
    """The value of a constant scalar, else None."""
    node = tensor.op
    return node.attrs["value"].item() if node.record is const else None


def _over_items(
    count: Any, item: Callable[[Any], Any], extra_test: Test | None, body: Block, loop: LoopVariables
) -> None:
    """A loop over `item(0)`, ..., `item(count - 1)`."""
    variables = _Augmented(0, loop)

    def run() -> None:
        at = variables.value
        body(item(at))
        variables.value = at + 1

    graph_loop(lambda: _and(variables.value < count, extra_test), run, variables.named("<internal iterate>"))


def _over_tensor(iter_: Any, *loop: Any) -> None:
    iter_ = convert_to_tensor(iter_)
    count = len_(iter_)
    rows = TensorArray(iter_.dtype, size=count).unstack(iter_)
    _over_items(count, rows.read, *loop)


def _over_tensor_array(iter_: Any, *loop: Any) -> None:
    _over_items(iter_.size(), iter_.read, *loop)


def _over_ragged(iter_: Any, *loop: Any) -> None:
    _over_items(iter_.nrows(dtypes.int32), lambda i: iter_[i], *loop)


def _over_iterator(iter_: Any, extra_test: Test | None, body: Block, loop: LoopVariables) -> None:
    variables = _Augmented(True, loop)
    names = variables.named("<internal has_next>").names
    check_initial(variables.get(), names)

    def run() -> None:
        optional = iter_.get_next_as_optional()
        variables.value = optional.has_value()
        before = variables.get()

        def take() -> Any:
            body(optional.get_value())
            after = variables.get()
            check_iteration(before, after, names, [None] * len(names), check_shapes="shape_invariants" not in loop.opts)
            return after

        variables.set(control_flow.cond(variables.value, take, lambda: before))

    graph_loop(lambda: _and(variables.value, extra_test), run, variables.named("<internal has_next>"))


def _over_dataset(dataset: Any, extra_test: Test | None, body: Block, loop: LoopVariables) -> None:
    """A reduction of the dataset by the body; with `break` the elements after it are left out by `take_while`."""
    if extra_test is not None and not hasattr(dataset, "scan"):
        raise NotImplementedError(
            "break and return statements are not yet supported in for ... in distributed input loops."
        )
    get_state, set_state, names, _ = loop
    initial = tuple(get_state())
    check_initial(initial, names)
    if not initial:  # a reduction has at least one state tensor
        initial, names = (convert_to_tensor(0),), ("<internal dummy>",)
        get_state, set_state = (lambda: (convert_to_tensor(0),)), (lambda values: None)

    def step(before: Any, item: Any) -> Any:
        set_state(before)

        def take() -> Any:
            body(item)
            after = tuple(get_state())
            check_iteration(before, after, names, [None] * len(names), check_shapes=False)
            return after

        if extra_test is None:
            return take(), convert_to_tensor(True)
        go_on = convert_to_tensor(extra_test())
        return control_flow.cond(go_on, take, lambda: before), go_on

    if extra_test is None:
        reduced = dataset.reduce(initial, autograph_artifact(lambda before, item: step(before, item)[0]))
    else:
        scanned = dataset.scan(
            initial,
            autograph_artifact(lambda before, item: (lambda new, go_on: (new, (new, go_on)))(*step(before, item))),
        )
        scanned = scanned.take_while(autograph_artifact(lambda _, go_on: go_on))
        reduced = scanned.reduce(initial, autograph_artifact(lambda _, new: new[0]))
    set_state(tuple(reduced))
