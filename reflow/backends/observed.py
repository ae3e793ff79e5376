"""A backend that tells functions of a program about every op, after it has run or was added to a graph.

Such a *callback* is called with the op's type, its input tensors, its attributes as a tuple of alternating names and
values, its output tensors, and in a graph also the node's name and the graph. In a graph it may return other tensors
for the outputs. What a callback itself computes is not told to any.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from reflow.backends.around import Around
from reflow.core import dtypes
from reflow.core.backend import Backend
from reflow.ops import registry

if TYPE_CHECKING:
    from reflow.core.types import Attrs, Value
    from reflow.ops.record import Op

Callback = Callable[..., Any]


class Observers:
    """The callbacks of a thread."""

    def __init__(self) -> None:
        self.callbacks: list[Callback] = []
        self.busy = False  # while one of them runs

    @property
    def listening(self) -> bool:
        return bool(self.callbacks) and not self.busy

    def tell(
        self, op_type: str, inputs: Sequence[Any], attrs: Any, outputs: Sequence[Any], op_name: str | None = None,
        graph: Any = None,
    ) -> Any:
        """Call them in turn, each with the outputs that the one before has returned; the last one's are returned.

        Raises:
          ValueError: one returned more or fewer tensors than the op has outputs.
        """
        if not self.callbacks:
            return outputs
        flat = tuple(part for item in attrs.items() for part in item) if hasattr(attrs, "items") else attrs
        told: Any = outputs
        self.busy = True
        try:
            for callback in list(self.callbacks):
                told = callback(op_type, inputs, flat, told, op_name=op_name, graph=graph)
                if told is not None and len(told) != len(outputs):
                    raise ValueError(
                        f"The op callback returned {len(told)} tensors, which does not match the original number of "
                        f"outputs of op {op_name} ({len(outputs)})."
                    )
            return told
        finally:
            self.busy = False


def _listed(out: Any) -> list:
    return out if isinstance(out, list) else [] if out is None else [out]


class ObservedBackend(Around):
    """`inner` runs the ops; `observers` are told."""

    def __init__(self, inner: Backend | None, observers: Observers) -> None:
        super().__init__(inner)
        self.observers = observers

    def _with(self, inner: Backend | None) -> Backend:
        return ObservedBackend(inner, self.observers)

    def execute(self, op: Op, inputs: Sequence[Any], attrs: Attrs) -> Any:
        out = self.inner.execute(op, inputs, attrs)
        if self.observers.listening:
            self.observers.tell(op.name, tuple(inputs), _attributes(op, inputs, attrs), tuple(_listed(out)))
        return out

    def run(self, graph: Any, values: Sequence[Value]) -> list[Value]:
        if not self.observers.listening:
            return self.inner.run(graph, values)
        self.observers.busy = True  # the function counts as one op
        try:
            results = self.inner.run(graph, values)
            inputs, outputs = (
                tuple(self.result(value, t.dtype) for value, t in zip(some, tensors, strict=False))
                for some, tensors in ((values, graph.inputs), (results, graph.outputs))
            )
        finally:
            self.observers.busy = False
        self.observers.tell(f"__inference_{graph.name}_{graph.version_id}", inputs, (), outputs)
        return results

    def building(self, graph: Any) -> Any:
        return ObservedTarget(self.inner.building(graph), graph, self.observers)


def _attributes(op: Op, inputs: Sequence[Any], attrs: Attrs) -> dict[str, Any]:
    """All attributes of an op that has run; dtypes are numbers, as TensorFlow's runtime has them."""
    full = registry.full_attrs(op, [t.dtype for t in inputs], dict(attrs))
    return {key: value.enum if isinstance(value, dtypes.DType) else value for key, value in full.items()}


class ObservedTarget:
    """Tells about each node that another target has added to a graph."""

    def __init__(self, inner: Any, graph: Any, observers: Observers) -> None:
        self._inner, self._graph, self._observers = inner, graph, observers

    def execute(self, op: Op, inputs: Sequence[Any], attrs: Attrs) -> Any:
        return self._told(self._inner.execute(op, inputs, attrs))

    def constant(self, *args: Any, **kwargs: Any) -> Any:
        return self._told(self._inner.constant(*args, **kwargs))

    def _told(self, out: Any) -> Any:
        if not self._observers.listening or not self._graph.nodes:
            return out
        outputs = _listed(out)
        node = outputs[0].op if outputs else self._graph.nodes[-1]
        attrs = dict(node.node_def.attr)
        told = self._observers.tell(node.type, tuple(node.inputs), attrs, tuple(outputs), node.name, self._graph)
        if told is None or not outputs:
            return out
        return list(told) if isinstance(out, list) else told[0]
