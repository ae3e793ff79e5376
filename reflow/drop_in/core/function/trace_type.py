"""`tensorflow.core.function.trace_type`: what a value is as an argument of a function."""

from reflow.core.specs import TypeSpec
from reflow.function.signature_text import Constraint
from reflow.function.trace_key import TracingContext, Typed, spec_of
from reflow.saved_model import structures


class InternalTracingContext(TracingContext):
    """What types are made in; in a *legacy signature* a spec stands for itself, which holds everywhere here."""

    def __init__(self, is_legacy_signature: bool = False) -> None:
        self.is_legacy_signature = is_legacy_signature


def from_value(value, context=None):
    """The type of a value: a spec for tensors and composites, the type that a class gives itself, or a constraint on structures and
    constants."""
    structure = spec_of(value)
    if isinstance(structure, Typed):
        return structure.type
    return structure if isinstance(structure, TypeSpec) else Constraint(structure)


def serialize(to_serialize):
    """A type as a proto: dtypes, shapes, specs and structures of them."""
    return structures.encode(to_serialize)


def deserialize(proto):
    """The type that a proto of `serialize` holds."""
    return structures.decode(proto)
