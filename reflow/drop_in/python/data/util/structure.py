"""`tensorflow.python.data.util.structure`: the specs of a dataset's elements, and elements as lists of tensors."""

from reflow.data import structure as specs
from reflow.drop_in.python.data.util import nest


def get_flat_tensor_specs(element_spec) -> list:
    """The specs of the tensors that an element is made of."""
    return specs.flat_specs(element_spec)


def get_flat_tensor_shapes(element_spec) -> list:
    return [spec.shape for spec in get_flat_tensor_specs(element_spec)]


def get_flat_tensor_types(element_spec) -> list:
    return [spec.dtype for spec in get_flat_tensor_specs(element_spec)]


def to_tensor_list(element_spec, element) -> list:
    """The tensors that an element is made of; ValueError if it is none of this spec."""
    nest.assert_same_structure(element_spec, element)
    return specs.to_components(element_spec, element)


def from_tensor_list(element_spec, tensor_list):
    """The element that `to_tensor_list` took apart."""
    expected = get_flat_tensor_specs(element_spec)
    if len(expected) != len(tensor_list):
        raise ValueError(f"Expected {len(expected)} tensors but got {len(tensor_list)}.")
    return specs.from_components(element_spec, tensor_list)


from_compatible_tensor_list = from_tensor_list


def are_compatible(spec1, spec2) -> bool:
    """Whether elements of one spec are elements of the other, too."""
    try:
        nest.assert_same_structure(spec1, spec2)
    except (TypeError, ValueError):
        return False
    return all(a.is_compatible_with(b) for a, b in zip(nest.flatten(spec1), nest.flatten(spec2), strict=True))


def normalize_element(element, element_signature=None):
    """An element with tensors as its leaves."""
    return specs.normalize(element, element_signature)


def type_spec_from_value(element, use_fallback=True):
    """The specs of an element."""
    return specs.spec_of(element)
