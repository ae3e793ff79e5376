"""`tensorflow.core.function.polymorphism.function_cache`: the traces of a function."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from reflow.function.function import Function


class FunctionCache:
    """The traces of one Python function. They are kept by the `tf.function` that makes them, once there is one."""

    def __init__(self) -> None:
        self._function: Function | None = None

    def function(self, make: Callable[[], Function]) -> Function:
        """The function whose traces these are, made at the first call."""
        if self._function is None:
            self._function = make()
        return self._function

    def generalize(self, function_type: Any) -> Any:
        """The type that a call is traced for; traces are found for more general arguments already."""
        return function_type

    def __len__(self) -> int:
        return 0 if self._function is None else len(self._function._list_all_concrete_functions())
