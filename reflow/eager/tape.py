"""`tf.GradientTape`: records operations, then walks the record backwards."""

from __future__ import annotations

import enum
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

from reflow.core import nest
from reflow.core.context import state
from reflow.core.errors import InvalidArgumentError
from reflow.core.indexed_slices import IndexedSlices
from reflow.core.scope import Scope
from reflow.core.tensor import Tensor
from reflow.eager import jacobian
from reflow.ops import convert
from reflow.ops.reverse import Recorder, dense, reverse
from reflow.ops.shape_rules import broadcast_dims

if TYPE_CHECKING:
    from reflow.core.dtypes import DType
    from reflow.core.types import Structure
    from reflow.ops.protocols import Record


class UnconnectedGradients(enum.Enum):
    """The gradient of an unconnected source: `NONE` for `None`, or `ZERO` for zeros.

    Args:
      value: The text of a member: "none" or "zero".

    >>> x, y = tf.constant(1.0), tf.constant(2.0)
    >>> with tf.GradientTape() as tape:
    ...     tape.watch([x, y])
    ...     z = x * x
    >>> tape.gradient(z, y, unconnected_gradients=tf.UnconnectedGradients.ZERO).numpy().item()
    0.0
    """

    NONE = "none"
    ZERO = "zero"


def handle_of(x: Any) -> Any:
    """The tensor that represents a source on the tape: a variable's handle, or the tensor itself."""
    if isinstance(x, Tensor):
        return x
    return x.handle if getattr(x, "_should_act_as_resource_variable", False) else x


class GradientTape(Recorder):
    """Records operations for automatic differentiation.

    Args:
      persistent: Whether more than one gradient may be computed; the tape then keeps what it recorded.
      watch_accessed_variables: Whether trainable variables that are read are watched by themselves.

    >>> x = tf.constant(3.0)
    >>> with tf.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = x * x
    >>> tape.gradient(y, x).numpy().item()
    6.0
    """

    def __init__(self, persistent: bool = False, watch_accessed_variables: bool = True) -> None:
        super().__init__()
        self._persistent = persistent
        self._watch_variables = watch_accessed_variables
        self._variables: dict = {}
        self._used = True  # until it has recorded something
        self._fresh = True

    if TYPE_CHECKING:  # what editors complete after `with tf.GradientTape() as tape`

        def __enter__(self) -> GradientTape: ...

    def _prepare(self) -> Any:
        if self._active:
            raise ValueError("Tape is still recording, This can happen if you try to re-enter an already-active tape.")
        if self._fresh:
            self._fresh = self._used = False
        return True

    def watch(self, tensor: Structure) -> None:
        """Watches a tensor, so that gradients with respect to it can be computed.

        Args:
          tensor: A tensor, a variable, or a structure of them; integers are not watched, with a warning.

        Returns:
          None.

        Raises:
          ValueError: It is something else.
        """
        for t in nest.flatten(tensor, expand_composites=False):
            if hasattr(t, "_gradient_parts"):
                self.watch(t._gradient_parts())
                continue
            source = handle_of(t)
            if isinstance(source, IndexedSlices) or getattr(source, "_is_composite", False) and source is t:
                self.watch(nest.flatten(source, expand_composites=True))
                continue
            if not hasattr(source, "_id"):
                raise ValueError(
                    f"Passed in object {t} of type '{type(t).__name__}', not tf.Tensor or tf.Variable or ExtensionType."
                )
            dtype = t.dtype
            if getattr(dtype, "kind", "f") not in "fco":
                _warn_integer(dtype)
                continue
            if source is not t:
                self.watch_variable(t, force=True)
            self.watched.add(source._id)

    def watch_variable(self, variable: Any, force: bool = False) -> None:
        """Called when a trainable variable is read while the tape is active."""
        if force or self._watch_variables:
            handle = variable.handle
            if handle._id not in self._variables:
                self._variables[handle._id] = variable
                self.watched.add(handle._id)

    def watched_variables(self) -> tuple:
        """Returns the variables this tape watches, in the order of their first use.

        Returns:
          A tuple.
        """
        return tuple(self._variables.values())

    def stop_recording(self) -> _Pause:
        """Pauses this tape for a `with` block.

        Returns:
          A context manager.

        Raises:
          RuntimeError: The tape is not recording, when the block is entered.
        """
        return _Pause(self)

    def reset(self) -> None:
        """Forgets everything recorded so far.

        Returns:
          None.
        """
        self.records, self.watched, self._variables = [], set(), {}

    def gradient(
        self, target: Structure, sources: Structure, output_gradients: Structure = None,
        unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
    ) -> Structure:
        """Computes the derivative of `target` with respect to `sources`.

        Args:
          target: A tensor, or a structure of them; several are summed.
          sources: Tensors or variables, or a structure of them.
          output_gradients: A weight for each element of `target`, in its structure; by default ones.
          unconnected_gradients: What to return for a source that `target` does not depend on: None, or with
            `tf.UnconnectedGradients.ZERO` zeros.

        Returns:
          Tensors, `tf.IndexedSlices` or None, in the structure of `sources`.

        Raises:
          RuntimeError: The tape is not persistent and was used before, or was never entered.
          TypeError: `target` is None.
        """
        if self._used:
            raise RuntimeError(
                "A non-persistent GradientTape can only be used to compute one set of gradients (or jacobians)"
            )
        if target is None:
            raise TypeError(
                "Argument `target` should be a list or nested structure of Tensors, Variables or "
                "CompositeTensors to be differentiated, but received None."
            )
        targets = nest.flatten(target, expand_composites=True)
        if not all(isinstance(t, Tensor) for t in targets):
            targets = self._read(targets)
        if self._active and not self._persistent:
            self._undo(None, False)
            records = self.records
        else:
            records = list(self.records)
        self._used = not self._persistent
        # a persistent tape that is still recording also records this, which is what makes second derivatives work
        grads = _gradient(
            records, self.watched, targets, sources, output_gradients, unconnected_value(unconnected_gradients)
        )
        if not self._persistent:
            self.records, self.watched = [], set()
        return grads

    def _read(self, targets: list) -> list:
        """Targets as tensors. The tape must see the read of a variable, even after it has stopped recording."""
        if self._active:
            return [convert.convert_to_tensor(t) for t in targets]
        self._apply(None)
        try:
            return [convert.convert_to_tensor(t) for t in targets]
        finally:
            self._undo(None, False)

    def jacobian(
        self, target: Structure, sources: Structure,
        unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None, experimental_use_pfor: bool = True,
    ) -> Structure:
        """Computes the derivative of every element of `target` with respect to `sources`.

        Args:
          target: A tensor.
          sources: Tensors or variables, or a structure of them.
          unconnected_gradients: What to return for a source that `target` does not depend on: None, or with
            `tf.UnconnectedGradients.ZERO` zeros.
          parallel_iterations: Ignored.
          experimental_use_pfor: Whether rows are computed together; else one after the other, for which an eager tape
            must be persistent.

        Returns:
          Tensors of shape `target.shape + source.shape`, or None, in the structure of `sources`.

        Raises:
          RuntimeError: The tape is not persistent and was used before.

        >>> x = tf.constant([1.0, 2.0])
        >>> with tf.GradientTape() as tape:
        ...     tape.watch(x); y = x * x
        >>> tape.jacobian(y, x).numpy().tolist()
        [[2.0, 0.0], [0.0, 4.0]]
        """
        self._check_row_by_row(experimental_use_pfor)
        target = convert.convert_to_tensor(target)
        flat = nest.flatten(sources)
        found = jacobian.jacobian(self._rows(target, flat), target, flat, experimental_use_pfor)
        if unconnected_value(unconnected_gradients) is UnconnectedGradients.ZERO:
            found = [jacobian.zeros(target, s) if g is None else g for s, g in zip(flat, found, strict=True)]
        return nest.pack_sequence_as(sources, found)

    def batch_jacobian(
        self, target: Structure, source: Tensor,
        unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None, experimental_use_pfor: bool = True,
    ) -> Any:
        """Computes the `jacobian` of each row of `target` with respect to the same row of `source`.

        Args:
          target: A tensor of rank 2 or more.
          source: A tensor of rank 2 or more with as many rows.
          unconnected_gradients: What to return if `target` does not depend on `source`: None, or with
            `tf.UnconnectedGradients.ZERO` zeros.
          parallel_iterations: Ignored.
          experimental_use_pfor: Whether rows are computed together; else one after the other, for which an eager tape
            must be persistent.

        Returns:
          A tensor of shape `[rows] + target.shape[1:] + source.shape[1:]`, or None.

        Raises:
          ValueError: The numbers of rows differ, or a rank is below 2.
        """
        self._check_row_by_row(experimental_use_pfor)
        target, tensor = convert.convert_to_tensor(target), convert.convert_to_tensor(source)
        for part in (target, tensor):
            part.shape.with_rank_at_least(2)
        if (
            target.shape.rank is not None
            and tensor.shape.rank is not None
            and not target.shape[:1].is_compatible_with(tensor.shape[:1])
        ):
            raise ValueError(
                f"Need first dimension of target shape ({target.shape}) and source shape ({tensor.shape}) to match."
            )
        found = jacobian.batch_jacobian(self._rows(target, [source]), target, tensor, experimental_use_pfor)
        if found is None and unconnected_value(unconnected_gradients) is UnconnectedGradients.ZERO:
            return jacobian.batch_zeros(target, tensor)
        return found

    def _check_row_by_row(self, use_pfor: bool) -> None:
        if not use_pfor and not self._persistent and state.graph is None:
            raise RuntimeError(
                "GradientTape must be created with persistent=True to compute the jacobian with eager execution "
                "enabled and with  experimental_use_pfor set to False."
            )

    def _rows(self, target: Structure, sources: Structure) -> Any:
        """A function from a cotangent of `target` to those of the sources: one reverse pass over the current record."""
        if self._used:
            raise RuntimeError(
                "A non-persistent GradientTape can only be used to compute one set of gradients (or jacobians)"
            )
        self._used = not self._persistent
        if self._active and not self._persistent:
            self._undo(None, False)
        records, watched = list(self.records), self.watched
        handles = [handle_of(convert.source_tensor(s)) for s in sources]
        return lambda seed: _of_watched(records, watched, [target], [seed], handles)


class _Pause(Scope):
    """A `with` block in which a tape does not record."""

    def __init__(self, tape: GradientTape) -> None:
        super().__init__()
        self._tape = tape

    def _prepare(self) -> Any:
        if not self._tape._active:
            raise RuntimeError("Trying to stop recording a tape which is not recording.")
        return True

    def _apply(self, entry: Any) -> None:
        self._tape._undo(None, False)

    def _undo(self, entry: Any, late: bool) -> None:
        if not late and not self._tape._active:
            self._tape._apply(None)


def unconnected_value(value: Any) -> UnconnectedGradients:
    if type(value) is UnconnectedGradients:
        return value
    try:
        return UnconnectedGradients(value)
    except ValueError:
        raise ValueError(f"Unknown value for unconnected_gradients: {value!r}") from None


def _check_seed(target: Tensor, seed: Tensor) -> Tensor:
    """Check that an output gradient fits its target; the kernels would give a different message."""
    try:
        broadcast_dims(seed.shape._dims, target.shape._dims)
    except ValueError as error:
        raise InvalidArgumentError(None, None, str(error)) from None
    return seed


def _warn_integer(dtype: DType) -> None:
    from reflow.core.logging import warn

    warn(f"The dtype of the watched tensor must be floating (e.g. tf.float32), got {dtype!r}")


def _gradient(
    records: Sequence[Record], watched: Collection[int], targets: Sequence[Any], sources: Structure,
    output_gradients: Structure, unconnected: UnconnectedGradients,
) -> Structure:
    flat_sources = nest.flatten(sources)
    if [s for s in flat_sources if hasattr(s, "_gradient_parts")]:
        return _of_composites(records, watched, targets, sources, output_gradients, unconnected)
    if output_gradients is None:
        seeds: list[Tensor | None] = [None] * len(targets)
    else:
        seeds = [None if g is None else convert.convert_to_tensor(g) for g in nest.flatten(output_gradients)]
    kept = [
        (t, convert.ones_like(t) if s is None else _check_seed(t, s))
        for t, s in zip(targets, seeds, strict=True)
        if t._dtype.kind in "fco"
    ]
    handles = [handle_of(convert.source_tensor(s)) for s in flat_sources]
    grads = _of_watched(records, watched, [t for t, _ in kept], [s for _, s in kept], handles)
    if unconnected is UnconnectedGradients.ZERO:
        grads = [convert.zeros_like_source(s) if g is None else g for s, g in zip(flat_sources, grads, strict=True)]
    return nest.pack_sequence_as(sources, grads)


def _of_watched(
    records: Sequence[Record], watched: Collection[int], targets: list[Tensor], seeds: list[Any], sources: list[Tensor]
) -> list[Any]:
    """The cotangents of sources.

    One that was not watched, as a constant among the operands, has none unless it is a target itself.
    """
    found = reverse(records, targets, seeds, sources)
    for i, source in enumerate(sources):
        if source._id not in watched and all(source._id != t._id for t in targets):
            found[i] = None
    return found


def _of_composites(
    records: Sequence[Record], watched: Collection[int], targets: Sequence[Any], sources: Structure,
    output_gradients: Structure, unconnected: UnconnectedGradients,
) -> Structure:
    """The gradient with composite sources: each is replaced by its parts, and their gradients are reassembled."""
    flat = nest.flatten(sources)
    parts = [source._gradient_parts() if hasattr(source, "_gradient_parts") else source for source in flat]
    grads = _gradient(records, watched, targets, parts, output_gradients, unconnected)
    made = [
        s._from_gradient_parts(dense(g) if isinstance(g, IndexedSlices) else g) if hasattr(s, "_gradient_parts") else g
        for s, g in zip(flat, grads, strict=True)
    ]
    return nest.pack_sequence_as(sources, made)


__all__ = ["GradientTape", "UnconnectedGradients", "dense", "handle_of"]
