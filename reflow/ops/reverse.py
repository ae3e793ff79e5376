"""The reverse pass: one algorithm over records, for tapes, graphs and function bodies alike.

A *record* is `(op, inputs, outputs, attrs)`: an eager tape keeps records, and a graph node is one. The pass walks the
records backwards, iteratively, and computes the cotangents of each op's inputs by dispatching ops. So it can run
eagerly or build a graph, and can itself be recorded and reversed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Any, NoReturn, Self

from reflow.core.context import state, swapped
from reflow.core.indexed_slices import IndexedSlices
from reflow.core.scope import Scope
from reflow.core.tensor import Tensor
from reflow.core.types import Attrs, Tape
from reflow.ops import registry
from reflow.ops.convert import constant, convert_to_tensor
from reflow.ops.dispatch import dispatch, run
from reflow.ops.kernels.control.lists import ItemCotangent
from reflow.ops.kernels.control.vjp import call_vjp
from reflow.ops.protocols import Cotangent, Cotangents, Differentiable, Record, TensorGradient, Tensors, Wanted

#: gradient functions by name, for `tf.RegisterGradient` and `gradient_override_map`
GRADIENTS: dict[str, TensorGradient] = {}

_FLOWS = frozenset("fco")  # dtype kinds through which gradients flow: floats, complex, resources and variants


class OpListener(Scope):
    """An object that is told of every op while it is active: one of `state.tapes`."""

    _active = False

    def _prepare(self) -> Any:
        return True

    def _apply(self, entry: Any) -> Self:
        self._active = True
        state.put({"tapes": (*state.tapes, self)})
        return self

    def _undo(self, entry: Any, late: bool) -> None:
        if self._active:
            state.put({"tapes": without(self, state.tapes)})
            self._active = False


class Recorder(OpListener):
    """A bare tape: records every op that depends on the given tensors while it is active."""

    def __init__(self, sources: Iterable[Tensor] = ()) -> None:
        super().__init__()
        self.records: list[Record] = []
        self.watched = {t._id for t in sources}

    def record(self, op: Differentiable, inputs: Sequence[Tensor], outputs: tuple[Tensor, ...], attrs: Attrs) -> None:
        if not op.differentiable and "_gradient_op_type" not in attrs:
            return
        watched = self.watched
        for t in inputs:
            if t._id in watched and t._dtype.kind in _FLOWS:
                self.records.append((op, inputs, outputs, attrs))
                for o in outputs:
                    if o._dtype.kind in _FLOWS:
                        watched.add(o._id)
                return

    def extend_record(self, outputs: tuple[Tensor, ...]) -> None:
        """A graph node has more outputs (intermediates for a gradient), which depend on the node's inputs."""
        first = outputs[0]
        if not any(o._id in self.watched for o in outputs):  # not only the first: a loop's first output is its counter
            return
        for i in range(len(self.records) - 1, -1, -1):
            op, inputs, old, attrs = self.records[i]
            if old and old[0] is first:
                self.records[i] = (op, inputs, outputs, attrs)
                self.watched.update(o._id for o in outputs if o._dtype.kind in _FLOWS)
                return

    def watch_variable(self, variable: object) -> None:
        """Tapes watch variables that are read; a recorder already has its sources."""


def without(tape: object, tapes: tuple[Tape, ...]) -> tuple[Tape, ...]:
    """All tapes except one."""
    return () if len(tapes) == 1 and tapes[0] is tape else tuple([t for t in tapes if t is not tape])


def live_ids(records: Iterable[Record], sources: Iterable[Tensor]) -> set[int]:
    """Ids of all tensors that depend on the sources."""
    live = {s._id for s in sources}
    for _, inputs, outputs, _ in records:
        for t in inputs:
            if t._id in live and t._dtype.kind in _FLOWS:
                for o in outputs:  # `update` of a generator takes three times as long for one output
                    live.add(o._id)
                break
    return live


def reverse(
    records: Sequence[Record], targets: Sequence[Tensor], seeds: Cotangents, sources: Sequence[Tensor]
) -> list[Cotangent]:
    """Cotangents of `sources` (tensor, IndexedSlices, or None if unconnected), given those of `targets`."""
    live = live_ids(records, sources)
    kept = {s._id for s in sources}
    cotangents: dict[int, Cotangent] = {}
    for target, seed in zip(targets, seeds, strict=True):
        if seed is not None:
            _accumulate(cotangents, target._id, seed)
    for op, inputs, outputs, attrs in reversed(records):
        cts, some = [], False
        for o in outputs:
            ct = cotangents.get(o._id) if o._id in kept else cotangents.pop(o._id, None)
            some = some or ct is not None
            cts.append(ct)
        if not some:
            continue
        nondiff = op.nondiff_indices
        wanted = [t._id in live and t._dtype.kind in _FLOWS and i not in nondiff for i, t in enumerate(inputs)]
        if True not in wanted:
            continue
        for t, grad in zip(inputs, op_gradient(op, attrs, inputs, outputs, cts, wanted), strict=True):
            if grad is not None:
                _accumulate(cotangents, t._id, grad)
    final = [cotangents.get(s._id) for s in sources]
    return [c.dense() if isinstance(c, ItemCotangent) else c for c in final]


def op_gradient(
    op: Any, attrs: Attrs, inputs: Tensors, outputs: Tensors, cotangents: Cotangents, wanted: Wanted
) -> Cotangents:
    """The cotangents of one op's inputs, from its registered, explicit or default gradient."""
    name = attrs.get("_gradient_op_type") or op.name
    custom = attrs.get("_gradient_function") or GRADIENTS.get(name)
    if custom is not None:
        return custom(attrs, inputs, outputs, cotangents, wanted)
    if name != op.name:  # that of another op, such as `gradient_override_map({"Sign": "Identity"})`
        op = registry.REGISTRY.get(name) or _no_gradient(outputs, op)
    if op.grad_tensors is not None:
        cotangents = [c.dense() if isinstance(c, ItemCotangent) else c for c in cotangents]
        return op.grad_tensors(attrs, inputs, outputs, cotangents, wanted)
    if not op.differentiable:
        return [None] * len(inputs)
    if op.grad is None and (op.stateful or op.host):
        _no_gradient(outputs, op)
    return call_vjp(op, attrs, inputs, outputs, [dense(c) for c in cotangents], wanted)


def _no_gradient(outputs: Tensors, op: Any) -> NoReturn:
    node = getattr(outputs[0], "op", None)
    raise LookupError(
        f"No gradient defined for operation'{op.name if node is None else node.name}' (op type: {op.name}). In general "
        "every operation must have an associated `@tf.RegisterGradient` for correct autodiff, which this op is "
        "lacking. If you want to pretend this operation is a constant in your program, you may insert "
        "`tf.stop_gradient`. This can be useful to silence the error in cases where you know gradients are not needed, "
        "e.g. the forward pass of tf.custom_gradient. Please see more details in "
        "https://www.tensorflow.org/api_docs/python/tf/custom_gradient."
    )


def dense(cotangent: Cotangent) -> Any:
    """A cotangent as a tensor."""
    if isinstance(cotangent, IndexedSlices):
        return densify(cotangent)
    return cotangent.dense() if isinstance(cotangent, ItemCotangent) else cotangent


def densify(slices: IndexedSlices) -> Tensor:
    """The dense tensor of an IndexedSlices."""
    rows = slices.dense_shape
    if rows is None:
        raise ValueError(
            f"Tensor conversion requested for IndexedSlices for argument `value` without dense_shape: {slices!s}"
        )
    bounds = [constant([place]) for place in (0, 1, 1)]
    first = run("StridedSlice", convert_to_tensor(rows), *bounds, shrink_axis_mask=1)
    values, indices = convert_to_tensor(slices.values), convert_to_tensor(slices.indices)
    return run("UnsortedSegmentSum", values, indices, first)


def add_cotangents(a: Cotangent, b: Cotangent) -> Cotangent:
    """The sum of two cotangents; slices stay slices, a mixture becomes dense."""
    if isinstance(a, IndexedSlices) and isinstance(b, IndexedSlices):
        zero = constant(0)
        values = run("ConcatV2", a.values, b.values, zero, N=2)
        indices = run("ConcatV2", a.indices, b.indices, zero, N=2)
        return IndexedSlices(values, indices, a.dense_shape)
    if a._dtype.kind == "o":
        return _add_lists(a, b)
    return dispatch(registry.REGISTRY["AddV2"], (dense(a), dense(b)), {})


def _add_lists(a: Cotangent, b: Cotangent) -> Cotangent:
    """The sum of two cotangents of a tensor list."""
    for x, y in ((a, b), (b, a)):
        if isinstance(x, ItemCotangent):
            return x.added_to(dense(y))
    return run("AddN", a, b, N=2)


def _accumulate(cotangents: dict[int, Cotangent], key: int, grad: Cotangent) -> None:
    old = cotangents.get(key)
    cotangents[key] = grad if old is None else add_cotangents(old, grad)


def stop_recording() -> AbstractContextManager[None]:
    """A `with` block in which no tape records."""
    return swapped(tapes=())
