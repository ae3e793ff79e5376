"""`tensorflow.core.function.trace_type`: what a value is as an argument of a function."""

from reflow.core.specs import TypeSpec
from reflow.function.signature_text import Constraint
from reflow.function.trace_key import TracingContext, Typed, spec_of
from reflow.saved_model import structures


class InternalTracingContext(TracingContext):
    """What types are made in; in a *legacy signature* a spec stands for itself, which holds everywhere here.

    Values that have no type of their own are kept by an id, under which the function's placeholders find them.
    """

    def __init__(self, is_legacy_signature: bool = False) -> None:
        self._is_legacy_signature = is_legacy_signature
        self._ids: dict = {}
        self._placeholders: dict = {}

    is_legacy_signature = property(lambda self: self._is_legacy_signature)

    def alias_global_id(self, global_id):
        """A number for an id, counted from 0 in this context."""
        return self._ids.setdefault(global_id, len(self._ids))

    def add_placeholder(self, placeholder_id, placeholder):
        """Keep what stands for a value while a function is traced."""
        self._placeholders[placeholder_id] = placeholder

    def get_placeholder_mapping(self):
        return self._placeholders


class InternalPlaceholderContext:
    """Where `placeholder_value` makes placeholders.

    The graph, values that are there already by id, and a scope of names.
    """

    def __init__(
        self, context_graph=None, placeholder_mapping=None, unnest_only=False, with_none_control_dependencies=False,
        composite_device_name=None,
    ):
        self.context_graph, self.unnest_only = context_graph, unnest_only
        self.with_none_control_dependencies, self.composite_device_name = (
            with_none_control_dependencies, composite_device_name
        )
        self._placeholders = dict(placeholder_mapping or {})
        self.naming_scope = None

    def has_placeholder(self, placeholder_id):
        return placeholder_id in self._placeholders

    def get_placeholder(self, placeholder_id):
        """The value of an id; a KeyError if there is none."""
        if placeholder_id not in self._placeholders:
            raise KeyError(f"alias_id: {placeholder_id} not found in this instance of placeholder context.")
        return self._placeholders[placeholder_id]

    def add_placeholder(self, placeholder_id, placeholder):
        """Keep a value by an id, once."""
        if placeholder_id in self._placeholders:
            raise KeyError(f"alias id: {placeholder_id} is already stored in this instance of placeholder context.")
        self._placeholders[placeholder_id] = placeholder

    def update_naming_scope(self, naming_scope):
        self.naming_scope = naming_scope


class InternalCastContext:
    """How `cast` takes values: with `allow_specs`, a spec may stand for a value."""

    def __init__(self, allow_specs=False):
        self.allow_specs = allow_specs


def from_value(value, context=None):
    """The type of a value: a spec for tensors and composites, the type that a class gives itself, or a constraint on
    structures and constants."""
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
