"""`tensorflow.python.util.variable_utils`: structures with their variables replaced."""

from reflow.core import nest
from reflow.eager.variables import Variable
from reflow.ops.convert import convert_to_tensor


def convert_variables_to_tensors(values):
    """The structure with each variable's value in its place.

    Composite tensors may convert their own (`_convert_variables_to_tensors`).
    """

    def convert(x):
        if isinstance(x, Variable):
            return convert_to_tensor(x)
        own = getattr(x, "_convert_variables_to_tensors", None)
        return x if own is None else own()

    return nest.map_structure(convert, values)


def replace_variables_with_atoms(values):
    """The structure with 0 in place of each variable, for comparisons of structures alone."""
    return nest.map_structure(lambda x: 0 if isinstance(x, Variable) else x, values)
