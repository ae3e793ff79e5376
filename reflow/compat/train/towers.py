"""Towers: a model that is built several times in one graph, for different batches, on shared variables.

While a graph has `towers`, its optimizers do not apply gradients immediately: each tower's gradients are kept, and
`finish` applies their sums with the first tower's optimizers. Every tower's loss is divided by the number of towers, so
the sum is the gradient of the mean.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from reflow.api.control.printing import no_op
from reflow.compat.variable_scopes import get_variable_scope, variable_scope
from reflow.core.context import state
from reflow.distribute.reduction import reduce_values
from reflow.distribute.values import ReduceOp
from reflow.eager.variables import variable_creator_scope


class _Waiting(NamedTuple):
    """Gradients that an optimizer was to apply, and the operation that its caller got for it."""

    optimizer: Any
    pairs: list
    global_step: Any
    name: str | None
    operation: Any


class Towers:
    """The towers of the current graph, one for each device."""

    def __init__(self, devices: Sequence[str]) -> None:
        self.devices = list(devices)
        self._waiting: list[list[_Waiting]] = []
        self._made: dict[str | None, list] = {}

    @contextlib.contextmanager
    def tower(self, index: int) -> Iterator[None]:
        """Build one tower. The first makes the variables, the others get them by name, in the order of creation."""
        graph, taken = state.graph, dict[str | None, int]()
        self._waiting.append([])

        def creator(next_creator, **options):
            name = options.get("name")
            made = self._made.setdefault(name, [])
            place = taken[name] = taken.get(name, 0) + 1
            if len(made) < place:
                if index:
                    raise ValueError(f"Replica {index} makes a variable {name!r} that the first replica did not make.")
                made.append(next_creator(**options))
            return made[place - 1]

        graph.towers = self
        try:
            with contextlib.ExitStack() as stack:
                stack.enter_context(graph.device(self.devices[index]))
                if index:
                    stack.enter_context(graph.scope(f"replica_{index}"))
                stack.enter_context(variable_creator_scope(creator))
                stack.enter_context(
                    variable_scope(get_variable_scope(), reuse=bool(index) or None, auxiliary_name_scope=False)
                )
                yield
        finally:
            graph.towers = None

    def scaled(self, loss: Any) -> Any:
        """A tower's part of the mean loss."""
        return loss / len(self.devices)

    def apply_later(self, optimizer: Any, pairs: list, global_step: Any, name: str | None) -> Any:
        """Keep gradients for `finish`; returns the operation that will have applied them."""
        waiting = _Waiting(optimizer, pairs, global_step, name, no_op())
        self._waiting[-1].append(waiting)
        return waiting.operation

    def finish(self) -> None:
        """Apply the sums over all towers.

        Raises:
          ValueError: no optimizer of version 1 was used, or towers used them differently.
        """
        counts = {len(steps) for steps in self._waiting}
        if counts == {0} or len(counts) != 1:
            raise ValueError(
                "A model for several replicas must be trained by optimizers of tf.compat.v1.train, by "
                "the same in each replica."
            )
        for steps in zip(*self._waiting, strict=True):
            first = steps[0]
            pairs = [_summed(parts) for parts in zip(*[step.pairs for step in steps], strict=True)]
            first.operation._add_control_inputs([first.optimizer.apply_gradients(pairs, first.global_step, first.name)])


def _summed(parts: Sequence[tuple[Any, Any]]) -> tuple[Any, Any]:
    """The gradient of one variable over all towers."""
    found = [gradient for gradient, _ in parts if gradient is not None]
    return (reduce_values(ReduceOp.SUM, found) if found else None), parts[0][1]
