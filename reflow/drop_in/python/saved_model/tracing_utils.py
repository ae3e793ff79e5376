"""`tensorflow.python.saved_model.tracing_utils`.

Functions that give and take the values of an object, as a SavedModel keeps them.
"""

from reflow.core import nest
from reflow.core.specs import TensorSpec
from reflow.function.concrete import ConcreteFunction
from reflow.function.function import function
from reflow.ops.convert import convert_to_tensor
from reflow.train.saveables import Callable


def trace_save_and_restore(obj):
    """Concrete functions of `_serialize_to_tensors` and `_restore_from_tensors`.

    Those that are concrete already stay.
    """
    save, restore = obj._serialize_to_tensors, obj._restore_from_tensors
    if isinstance(save, ConcreteFunction) and isinstance(restore, ConcreteFunction):
        return save, restore

    def save_values():
        tensors = save()
        if any(isinstance(value, Callable) for value in tensors.values()):
            raise NotImplementedError(
                f"Unable to export SavedModel with object of type {type(obj)} because "
                "`_serialize_to_tensors` returns a Callable."
            )
        return nest.map_structure(convert_to_tensor, tensors)

    saving = function(save_values, autograph=False).get_concrete_function()
    specs = nest.map_structure(lambda t: TensorSpec(t.shape, t.dtype), saving.structured_outputs)

    def restore_values(tensors):
        restore(tensors)
        return 1  # functions in files return something

    restoring = function(restore_values, autograph=False).get_concrete_function(specs)
    return saving, restoring
