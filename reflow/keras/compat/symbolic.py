"""`tf.*` functions on a `KerasTensor`: they build an operation of the functional model, like Keras 2's `TFOpLambda`.

Keras 3 raises when a KerasTensor is converted to a tensor. Here it raises our own exception, and the public functions
get a wrapper that, on this exception, turns the call into a Keras operation. A wrapper costs one more Python call, so
they are installed with the first `keras.Input`: eager programs without functional models do not have them.
"""

from __future__ import annotations

import functools
import importlib
import sys
import types

from reflow.api.array.basics import get_static_value
from reflow.core.context import state
from reflow.eager.tracebacks import shorten
from reflow.eager.variables import outermost_graph
from reflow.graph.graph import SymbolicTensor
from reflow.keras.compat.graphs import get_session
from reflow.keras.compat.patching import wrap

#: namespaces whose functions compute tensors from tensors; "" is the top level
_NAMESPACES = (
    "", "math", "nn", "linalg", "image", "signal", "strings", "bitwise", "sparse", "sets", "random",
)
#: functions of functions, whose identity AutoGraph checks, and functions that are not ops
_NOT = frozenset(
    (
        "cond", "case", "switch_case", "while_loop", "map_fn", "vectorized_map", "foldl", "foldr", "scan", "function",
        "py_function", "numpy_function", "custom_gradient", "recompute_grad", "grad_pass_through", "init_scope",
        "device", "name_scope", "control_dependencies", "is_tensor", "is_symbolic_tensor", "executing_eagerly",
        "inside_function", "variable_creator_scope", "get_static_value", "no_gradient",
        "register_tensor_conversion_function", "get_logger", "load_library", "load_op_library",
        "install_as_tensorflow", "group", "no_op", "type_spec_from_value",
    )
)


class SymbolicInput(ValueError):  # a message to the wrapper
    """A KerasTensor was to become a tensor."""


def install(keras) -> None:
    @wrap(keras.KerasTensor, "__tf_tensor__")
    def to_tensor(original, self, dtype=None, name=None):
        try:
            return original(self, dtype, name)
        except ValueError as error:
            raise SymbolicInput(*error.args) from None

    operation = _operation_class(keras)
    _wrap_backend(operation)

    def first_input(original, *args, **kwargs):
        _wrap_functions(operation)
        return original(*args, **kwargs)

    replaced = functools.wraps(keras.Input)(functools.partial(first_input, keras.Input))
    for path in ("keras", "keras.layers", "keras._tf_keras.keras", "keras._tf_keras.keras.layers"):
        module = sys.modules.get(path)
        if module is not None:
            vars(module)["Input"] = replaced


def _operation_class(keras):
    @keras.saving.register_keras_serializable("Reflow")
    class TFOpLambda(keras.Operation):  # type: ignore[name-defined]  # `keras` is an argument
        """One call of a function of TensorFlow in a functional model."""

        def __init__(self, function, name=None):
            super().__init__(name=name)
            self.function = function

        def call(self, *args, **kwargs):
            args, kwargs = keras.tree.map_structure(_value_of_graph, (args, kwargs))
            return _functions[self.function](*args, **kwargs)

        def get_config(self):
            return {"function": self.function, "name": self.name}

    return TFOpLambda


def _value_of_graph(given):
    """In eager code the value of a tensor of the graph of a TensorFlow 1 program, such as a constant that a function of
    `tf.keras.backend` has made there; all else as it is."""
    if not isinstance(given, SymbolicTensor) or given.graph.building_function:
        return given
    if outermost_graph(state.graph) is given.graph:
        return given
    value = get_static_value(given)
    return get_session().run(given) if value is None else value


#: the functions under the wrappers, by their path below `tf`
_functions: dict = {}
_BACKEND = "keras.backend."
#: functions of `tf.keras.backend` that inspect a tensor, rather than compute with it
_NOT_OF_BACKEND = ("int_shape", "dtype", "ndim", "is_keras_tensor", "is_sparse", "gradients", "function", "placeholder")


def _wrap_backend(operation) -> None:
    """Wraps the functions of `tf.keras.backend` immediately, since their speed rarely matters."""
    backend = importlib.import_module("keras._tf_keras.keras.backend")
    for name, function in list(vars(backend).items()):
        if isinstance(function, types.FunctionType) and name not in _NOT_OF_BACKEND:
            _functions[_BACKEND + name] = function
            setattr(backend, name, _wrapper(function, _BACKEND + name, operation, (ValueError, TypeError)))


def _wrap_functions(operation) -> None:
    """Put the wrappers into the public namespaces, once."""
    if "abs" in _functions:
        return
    wrappers: dict = {}  # of a function: `tf.math.add` stays `tf.add`
    for namespace in _NAMESPACES:
        module = importlib.import_module(f"reflow.{namespace}".rstrip("."))
        for name, function in list(vars(module).items()):
            if name in _NOT or name.startswith("_") or not isinstance(function, types.FunctionType):
                continue
            path = f"{namespace}.{name}".lstrip(".")
            _functions[path] = function
            if function not in wrappers:
                wrappers[function] = _wrapper(function, path, operation)
            setattr(module, name, wrappers[function])
            facade = sys.modules.get("tensorflow")
            if not namespace and facade is not None:
                vars(facade).pop(name, None)  # fetched again from reflow


def _wrapper(function, path: str, operation, errors=SymbolicInput):
    """The function, which becomes an operation where it fails on a KerasTensor. Those of `backend` also fail in other
    ways, after some of the functions that they call have become operations."""

    @functools.wraps(function)
    def call(*args, **kwargs):
        try:
            return function(*args, **kwargs)
        except Exception as error:
            if not isinstance(error, errors) or errors is not SymbolicInput and not _any_symbolic(args, kwargs):
                if state.graph is None:
                    shorten(error)
                raise
            return operation(path)(*args, **kwargs)

    vars(call)["_wraps_api"] = function  # calls from inside Reflow, which has no wrapper, are dispatched too
    return call


def _any_symbolic(args, kwargs) -> bool:
    keras = sys.modules["keras"]
    return any(isinstance(a, keras.KerasTensor) for a in keras.tree.flatten((args, kwargs)))
