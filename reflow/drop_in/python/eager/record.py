"""`tensorflow.python.eager.record`: what tapes see."""

from collections.abc import Callable, Sequence
from typing import Any

from reflow.api.array.creation import zeros_like
from reflow.core.context import state, swapped
from reflow.core.tensor import Tensor
from reflow.eager.forward import ForwardAccumulator
from reflow.eager.tape import GradientTape
from reflow.ops import registry
from reflow.ops.reverse import dense

_CARRIER = registry.get("IdentityN")  # any op: the record carries its own gradient


def stop_recording():
    """A context in which no tape records."""
    return swapped(tapes=())


def could_possibly_record() -> bool:
    """Whether some tape is watching."""
    return bool(state.tapes)


def should_record_backprop(tensors) -> bool:
    """Whether a tape watches one of these tensors, or something that they come from."""
    return any(t._id in tape.watched for tape in state.tapes for t in tensors)


class VariableWatcher:
    """A `with` block, after which `watched_variables()` are the trainable variables that were read in it."""

    def __init__(self) -> None:
        self._tape = GradientTape(persistent=True)

    def __enter__(self):
        self._tape.__enter__()
        return self

    def __exit__(self, *failure):
        self._tape.__exit__(*failure)

    def watched_variables(self) -> tuple:
        return self._tape.watched_variables()


def _gradient_of(backward_function: Callable[..., Any]) -> Callable[..., list[Any]]:
    """A record's gradient, from a function of the gradients of its outputs."""

    def gradient(
        attrs: Any, inputs: Sequence[Tensor], outputs: Sequence[Tensor], cotangents: Sequence[Any], wanted: Any
    ) -> list[Any]:
        pairs = zip(outputs, cotangents, strict=True)
        found = backward_function(*(zeros_like(output) if given is None else dense(given) for output, given in pairs))
        return list(found) if isinstance(found, (list, tuple)) else [found]

    return gradient


def _tell(listeners: Sequence[Any], outputs: Sequence[Tensor], inputs: Sequence[Tensor], **attrs: Any) -> None:
    for listener in listeners:
        listener.record(_CARRIER, list(inputs), tuple(outputs), attrs)


def _listeners(forward: bool) -> list[Any]:
    """The forward accumulators that are open, or the tapes."""
    return [listener for listener in state.tapes if isinstance(listener, ForwardAccumulator) is forward]


def record_operation_backprop_only(
    op_type: str, output_tensors: Sequence[Tensor], input_tensors: Sequence[Tensor],
    backward_function: Callable[..., Any],
) -> None:
    """Tell the tapes that an operation of a program made these tensors from those. The gradients of the inputs are what
    `backward_function` returns for those of the outputs."""
    gradient = _gradient_of(backward_function)
    _tell(_listeners(forward=False), output_tensors, input_tensors, _gradient_function=gradient)


def record_operation_forwardprop_only(
    op_type: str, output_tensors: Sequence[Tensor], input_tensors: Sequence[Tensor],
    backward_function: Callable[..., Any] | None, forwardprop_output_indices: Sequence[Any] | None,
) -> None:
    """Tell the forward accumulators. They transpose the function; or the indices say, for each of them, which outputs
    are the tangents of which others: pairs (output, its tangent), the innermost accumulator first."""
    if not forwardprop_output_indices:
        assert backward_function is not None
        gradient = _gradient_of(backward_function)
        _tell(_listeners(forward=True), output_tensors, input_tensors, _gradient_function=gradient)
        return
    for accumulator, pairs in zip(reversed(_listeners(forward=True)), forwardprop_output_indices, strict=True):
        for output, tangent in pairs:
            accumulator.tell(output_tensors[output], output_tensors[tangent])


def record_operation(
    op_type: str, output_tensors: Sequence[Tensor], input_tensors: Sequence[Tensor],
    backward_function: Callable[..., Any] | None, forward_function: Callable[..., Any] | None = None,
) -> None:
    """Tell the tapes, and the forward accumulators. These call `forward_function` with the tangents of the inputs for
    those of the outputs, if there is one."""
    if backward_function is not None:
        record_operation_backprop_only(op_type, output_tensors, input_tensors, backward_function)
    if forward_function is None:
        record_operation_forwardprop_only(op_type, output_tensors, input_tensors, backward_function, None)
        return
    for accumulator in _listeners(forward=True):
        known = [accumulator.jvp(t) for t in input_tensors]
        if any(tangent is not None for tangent in known):
            pairs = zip(input_tensors, known, strict=True)
            found = forward_function(*(zeros_like(t) if tangent is None else tangent for t, tangent in pairs))
            for output, tangent in zip(output_tensors, found, strict=True):
                accumulator.tell(output, tangent)
