"""`tensorflow.python.saved_model.nested_structure_coder`: nested Python structures as protos."""

from reflow.saved_model import structures
from reflow.saved_model.structures import NotEncodableError as NotEncodableError
from reflow.saved_model.structures import decode as decode_proto  # noqa: F401 - its name here


def encode_structure(nested_structure):
    """The `StructuredValue` proto of a structure; `NotEncodableError` if a part of it has none."""
    return structures.encode(nested_structure)


def can_encode(nested_structure) -> bool:
    """Whether a structure has a proto."""
    try:
        encode_structure(nested_structure)
    except NotEncodableError:
        return False
    return True
