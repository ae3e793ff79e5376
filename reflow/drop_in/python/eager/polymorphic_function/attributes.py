"""`tensorflow.python.eager.polymorphic_function.attributes`.

Attributes of functions, as they stand in a FunctionDef.
"""

from tensorboard.compat.proto.attr_value_pb2 import AttrValue

from reflow.drop_in import names
from reflow.graph.proto_values import encode_plain

_MODULE = "tensorflow.python.eager.polymorphic_function.attributes"
#: the attributes that a function with one trace may have: all that there are
MONOMORPHIC_FUNCTION_ALLOWLIST = frozenset(
    what["value"] for what in names.recorded()[_MODULE].values() if isinstance(what, dict)
)


def _parse_func_attr_value(key, value):
    """A Python value as an AttrValue."""
    if isinstance(value, AttrValue):
        return value
    plain = (bool, int, float, str, bytes)
    if isinstance(value, list):
        for item in value:
            if not isinstance(item, plain):
                raise ValueError(f"Attributes for {key} must be bool, int, float, or string. Got {type(item)}.")
    elif not isinstance(value, plain):
        raise ValueError(f"Attribute {key} must be bool, int, float, string, list, or AttrValue. Got {type(value)}.")
    return encode_plain(value)


def parse_func_attrs(attributes, allowlist=None):
    """A dictionary of Python values as one of AttrValues.

    Only names of `allowlist`, by default those that any function may have.
    """
    for key in attributes:
        if key not in (allowlist or MONOMORPHIC_FUNCTION_ALLOWLIST):
            raise ValueError(f"Allowlist does not support `{key}` as an attribute.")
    return {key: _parse_func_attr_value(key, value) for key, value in attributes.items()}
