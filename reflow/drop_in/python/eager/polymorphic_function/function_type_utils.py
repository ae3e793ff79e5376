"""`tensorflow.python.eager.polymorphic_function.function_type_utils`.

The parameters of a Python function and an input signature.
"""

from reflow.core import nest
from reflow.drop_in.core.function.polymorphism import function_type as function_types
from reflow.function.input_signature import InputSignature


def make_function_type(python_function, input_signature):
    """(type, default values) of a Python function whose arguments an input signature may constrain.

    Raises:
        TypeError: the signature has too few or too many specs.
    """
    function_type, defaults = function_types.of_callable(python_function)
    if input_signature is not None:
        InputSignature(input_signature, None)  # refuses what is no signature
        function_type = function_types.add_type_constraints(function_type, input_signature, defaults)
    return function_type, defaults


class FunctionSpec:
    """What a `tf.function` takes, and how it is compiled."""

    def __init__(self, function_type, default_values, is_pure=False, jit_compile=None, name=None):
        self.function_type, self.default_values = function_type, default_values
        self.is_pure, self.jit_compile, self._name = is_pure, jit_compile, name
        self.fullargspec = function_types.to_fullargspec(function_type, default_values)
        self.input_signature = function_types.to_input_signature(function_type)

    @classmethod
    def from_function_and_signature(cls, python_function, input_signature, is_pure=False, jit_compile=None):
        """The spec of a Python function with an input signature, or None."""
        function_type, defaults = make_function_type(python_function, input_signature)
        return cls(function_type, defaults, is_pure, jit_compile, getattr(python_function, "__name__", None))

    arg_names = property(lambda self: self.fullargspec.args)

    def signature_summary(self, default_values=False):
        """The parameters in words, with their defaults if that is asked for."""
        lines = [repr(self.function_type)]
        if default_values:
            lines += ["Defaults:", *(f"  {name}: {value}" for name, value in self.default_values.items())]
            lines += [] if self.default_values else ["  None"]
        return "\n".join(lines)


def is_same_structure(structure1, structure2, check_values=False):
    """Whether two structures have the same form, and equal leaves if `check_values`."""
    try:
        nest.assert_same_structure(structure1, structure2)
    except (ValueError, TypeError):
        return False
    pairs = zip(nest.flatten(structure1), nest.flatten(structure2), strict=True)
    return not check_values or all(type(a) is type(b) and a == b for a, b in pairs)
