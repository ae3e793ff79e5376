"""`tensorflow.python.util.keras_deps`: functions that TensorFlow calls and Keras registers at its import."""

from collections.abc import Callable
from typing import Any

_functions: dict[str, Callable[..., Any]] = {}


def _pair(name: str) -> tuple[Callable, Callable]:
    """(register, get) for one function."""

    def register(func: Callable) -> None:
        _functions[name] = func

    def get() -> Callable | None:
        return _functions.get(name)

    register.__name__, get.__name__ = f"register_{name}_function", f"get_{name}_function"
    return register, get


register_call_context_function, get_call_context_function = _pair("call_context")
register_clear_session_function, get_clear_session_function = _pair("clear_session")
register_get_session_function, get_get_session_function = _pair("get_session")
register_load_model_function, get_load_model_function = _pair("load_model")
