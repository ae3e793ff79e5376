"""`tensorflow.python.eager.record`: what tapes see."""

from reflow.core.context import state, swapped
from reflow.eager.tape import GradientTape


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
