"""`tensorflow.python.eager.record`: what tapes see."""

from reflow.core.context import state, swapped


def stop_recording():
    """A context in which no tape records."""
    return swapped(tapes=())


def could_possibly_record() -> bool:
    """Whether some tape is watching."""
    return bool(state.tapes)


def should_record_backprop(tensors) -> bool:
    """Whether a tape watches one of these tensors, or something that they come from."""
    return any(t._id in tape.watched for tape in state.tapes for t in tensors)
