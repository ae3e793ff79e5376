"""`tf.autodiff.ForwardAccumulator`: Jacobian-vector products, computed op by op as the program runs.

A vector-Jacobian product is linear in its cotangent. So its own derivative with respect to that cotangent, applied to
the tangents of the inputs, is the tangent of the output: two reverse passes over one op make one forward step, and no
second set of rules is needed.
"""

from __future__ import annotations

import functools
import weakref
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

from reflow.core import nest
from reflow.core.context import state, swapped
from reflow.core.logging import warn
from reflow.core.tensor import EagerTensor
from reflow.eager.jacobian import all_rows
from reflow.eager.tape import UnconnectedGradients, handle_of, unconnected_value
from reflow.ops import convert
from reflow.ops.dispatch import run
from reflow.ops.reverse import OpListener, Recorder, dense, op_gradient, reverse

if TYPE_CHECKING:
    from reflow.core.tensor import Tensor
    from reflow.core.types import Attrs, Structure
    from reflow.ops.record import Op

_FLOWS = "fc"


class ForwardAccumulator(OpListener):
    """Computes the product of a Jacobian and a vector while the function runs.

    Args:
      primals: The tensors or variables to differentiate by, or a structure of them.
      tangents: The vector: a tensor of the shape of each of them, in the same structure; None for none.

    Raises:
      ValueError: The structures, or shapes of a pair, differ.

    >>> x = tf.constant(3.0)
    >>> with ForwardAccumulator(x, tf.constant(1.0)) as acc:
    ...     y = x * x
    >>> acc.jvp(y).numpy().item()
    6.0
    """

    def __init__(self, primals: Structure, tangents: Structure) -> None:
        super().__init__()
        self._begin(primals, tangents, batched=False)

    @classmethod
    def _batch_accumulator(cls, primals: Structure, tangents: Structure) -> Self:
        """An accumulator of several products at once: tangents and results have an extra leading axis."""
        accumulator = cls.__new__(cls)
        OpListener.__init__(accumulator)
        accumulator._begin(primals, tangents, batched=True)
        return accumulator

    def _begin(self, primals: Structure, tangents: Structure, batched: bool) -> None:
        nest.assert_same_structure(primals, tangents)
        self._tangents: dict[int, Tensor] = {}  # by the ids of their primals
        self._primals: dict[int, weakref.ref] = {}  # nobody can ask for the tangent of a tensor that is gone
        self.watched: set = set()
        self._batched = batched
        for primal, tangent in zip(nest.flatten(primals), nest.flatten(tangents), strict=True):
            if tangent is None:
                continue
            if primal.dtype.kind not in _FLOWS:
                warn(f"The dtype of the watched primal must be floating (e.g. tf.float32), got {primal.dtype!r}")
                continue
            tangent = convert.convert_to_tensor(tangent, primal.dtype)
            if not (tangent.shape[1:] if batched else tangent.shape).is_compatible_with(primal.shape):
                raise ValueError(f"Received a tangent of shape {tangent.shape} for a primal of shape {primal.shape}.")
            self._add(handle_of(primal), tangent)

    def tell(self, tensor: Tensor, tangent: Any) -> None:
        """Take a tangent that a program has computed itself; None for a constant."""
        if tangent is not None:
            self._add(tensor, convert.convert_to_tensor(tangent))

    def _add(self, tensor: Tensor, tangent: Tensor) -> None:
        key = tensor._id
        self._tangents[key] = tangent
        self.watched.add(key)
        if isinstance(tensor, EagerTensor):  # a symbolic one lives as long as its graph
            self._primals[key] = weakref.ref(tensor, functools.partial(_forget, weakref.ref(self), key))

    def _prepare(self) -> Any:
        if self._active:
            raise ValueError("Accumulator is already recording.")
        return True

    def jvp(
        self, primals: Structure, unconnected_gradients: UnconnectedGradients = UnconnectedGradients.NONE
    ) -> Structure:
        """Returns the products for `primals`, in their structure.

        Args:
          primals: Tensors computed while the accumulator was active, or a structure of them.
          unconnected_gradients: What to return for a tensor that does not depend on the watched ones: None, or with
            `tf.UnconnectedGradients.ZERO` zeros.

        Returns:
          Tensors of the shapes of `primals`, or None.
        """
        zero = unconnected_value(unconnected_gradients) is UnconnectedGradients.ZERO

        def tangent(x: Any) -> Any:
            found = self._tangents.get(handle_of(x)._id)
            return convert.zeros_like_source(x) if found is None and zero else found

        return nest.map_structure(tangent, primals)

    # --- as a tape

    def watch_variable(self, variable: Any) -> None:
        """Variables have the tangents given at the start, or none."""

    def extend_record(self, outputs: tuple[Any, ...]) -> None:
        """Intermediates of a call have no tangents of their own."""

    def record(self, op: Op, inputs: Sequence[Any], outputs: tuple[Any, ...], attrs: Attrs) -> None:
        """An op ran: compute the tangents of its outputs from those of its inputs.

        Tapes and accumulators outside of this one see that.
        """
        if not op.differentiable or not any(t._id in self._tangents for t in inputs):
            return
        with swapped(tapes=state.tapes[: state.tapes.index(self)]):
            self._push(op, inputs, outputs, attrs)

    def _push(self, op: Op, inputs: Sequence[Any], outputs: tuple[Any, ...], attrs: Attrs) -> None:
        wanted = [t._id in self._tangents for t in inputs]
        for position, output in enumerate(outputs):
            if output._dtype.kind not in _FLOWS:
                continue
            seed = convert.ones_like(output)
            with Recorder([seed]) as recorder:
                grads = op_gradient(
                    op, attrs, inputs, outputs, [seed if i == position else None for i in range(len(outputs))], wanted
                )
            pairs = [
                (dense(g), self._tangents[t._id])
                for g, t, w in zip(grads, inputs, wanted, strict=True)
                if w and g is not None
            ]
            if not pairs:
                continue
            if self._batched:
                tangent = _of_rows(recorder.records, pairs, seed)
            else:
                (tangent,) = reverse(recorder.records, [g for g, _ in pairs], [t for _, t in pairs], [seed])
            if tangent is not None:
                self._add(output, tangent)


def _forget(accumulator: weakref.ref, key: int, _: weakref.ref) -> None:
    """A tensor is gone: so may its tangent be."""
    owner = accumulator()
    if owner is not None:
        owner._tangents.pop(key, None)
        owner._primals.pop(key, None)
        owner.watched.discard(key)


def _of_rows(records: Sequence[Any], pairs: Sequence[tuple[Any, Any]], seed: Any) -> Any:
    """The tangents of an output for all rows of the inputs' tangents; None if it depends on none of them."""
    total: Any = None
    for gradient, rows in pairs:
        (part,) = all_rows(lambda tangent, g=gradient: reverse(records, [g], [tangent], [seed]), rows, True)
        total = part if total is None else total if part is None else run("AddV2", total, part)
    return total
