"""`tensorflow.python.framework.type_utils`.

Specs as full types, TensorFlow's descriptions of what tensors of variants hold.
"""

from tensorboard.compat.proto import full_type_pb2
from tensorboard.compat.proto.full_type_pb2 import FullTypeDef

from reflow.core.ragged import RaggedTensorSpec
from reflow.core.types import Proto
from reflow.drop_in.python.data.util import nest
from reflow.drop_in.python.data.util.structure import get_flat_tensor_specs

_WORDS = {"float16": "HALF", "float32": "FLOAT", "float64": "DOUBLE"}


def fulltypes_for_flat_tensors(element_spec) -> list[Proto]:
    """The full types of the tensors that an element is made of.

    Only ragged tensors have one; that of others is not set.
    """
    return [kind for spec in nest.flatten(element_spec) for kind in _types(spec)]


def _types(spec) -> list[Proto]:
    if isinstance(spec, RaggedTensorSpec):
        known = getattr(full_type_pb2, f"TFT_{_WORDS.get(spec.dtype.name, spec.dtype.name.upper())}", None)
        return [
            FullTypeDef() if known is None
            else FullTypeDef(type_id=full_type_pb2.TFT_RAGGED, args=[FullTypeDef(type_id=known)])
        ]
    return [FullTypeDef() for _ in get_flat_tensor_specs(spec)]


def fulltype_list_to_product(fulltype_list) -> Proto:
    """The type of several tensors."""
    return FullTypeDef(type_id=full_type_pb2.TFT_PRODUCT, args=fulltype_list)


def iterator_full_type_from_spec(element_spec) -> Proto:
    """The type of the handle of an iterator over such elements."""
    elements = fulltype_list_to_product(fulltypes_for_flat_tensors(element_spec))
    return fulltype_list_to_product([FullTypeDef(type_id=full_type_pb2.TFT_ITERATOR, args=[elements])])
