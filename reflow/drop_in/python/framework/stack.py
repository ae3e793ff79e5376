"""`tensorflow.python.framework.stack`: stacks of defaults, one for each thread."""

import contextlib
import threading
from collections.abc import Iterator
from typing import Any


class DefaultStack(threading.local):
    """Objects of which the last that was pushed is the default of its thread."""

    def __init__(self) -> None:
        super().__init__()
        self.enforce_nesting = True
        self.stack: list[Any] = []

    def get_default(self) -> Any:
        """The object at the top, or None."""
        return self.stack[-1] if self.stack else None

    def reset(self) -> None:
        """Forget all objects."""
        self.stack = []

    def is_cleared(self) -> bool:
        """Whether there is no object."""
        return not self.stack

    @contextlib.contextmanager
    def get_controller(self, default: Any) -> Iterator[Any]:
        """A context in which an object is the default.

        Contexts end in the reverse order, unless `enforce_nesting` is off.
        """
        self.stack.append(default)
        try:
            yield default
        finally:
            if self.stack and self.enforce_nesting:
                if self.stack[-1] is not default:
                    raise AssertionError(f"Nesting violated for default stack of {type(default)} objects")
                self.stack.pop()
            elif self.stack:
                self.stack.remove(default)
