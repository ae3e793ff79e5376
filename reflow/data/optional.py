"""`tf.experimental.Optional`: a value that may be missing."""

from __future__ import annotations

from reflow.api.call import call
from reflow.api.export import export
from reflow.core import dtypes
from reflow.core.context import state
from reflow.core.tensor import EagerTensor
from reflow.data import structure


@export("experimental.Optional", "data.experimental.Optional")
class Optional:
    """A value that may be missing: what `get_next_as_optional` returns, and what loops carry for "no result yet".

    >>> o = tf.experimental.Optional.from_value(42)
    >>> bool(o.has_value()), int(o.get_value())
    (True, 42)
    """

    _is_composite = True

    def has_value(self, name=None):
        """Says whether there is a value.

        Args:
          name: A name for the operation.

        Returns:
          A bool scalar.
        """
        raise NotImplementedError("Optional.has_value()")

    def get_value(self, name=None):
        """Returns the value.

        Args:
          name: A name for the operation.

        Returns:
          The value, with the structure of `element_spec`.

        Raises:
          InvalidArgumentError: There is none.
        """
        raise NotImplementedError("Optional.get_value()")

    @property
    def element_spec(self):
        """The structure of specs of the value."""
        raise NotImplementedError("Optional.element_spec")

    @staticmethod
    def empty(element_spec) -> Optional:
        """Creates an optional without a value.

        Args:
          element_spec: The structure of `tf.TypeSpec`s of the value it could have held.

        Returns:
          An empty optional.
        """
        return _OptionalImpl(call("OptionalNone", ()), element_spec)

    @staticmethod
    def from_value(value) -> Optional:
        """Creates an optional that holds a value.

        Args:
          value: A nested structure of tensors.

        Returns:
          An optional with that value.
        """
        element = structure.normalize(value)
        spec = structure.spec_of(element)
        flat = structure.to_components(spec, element)
        return _OptionalImpl(call("OptionalFromValue", flat, {"Toutput_types": [t.dtype for t in flat]}), spec)


class _OptionalImpl(Optional):
    def __init__(self, variant_tensor, element_spec):
        self._variant_tensor = variant_tensor
        self._element_spec = element_spec

    element_spec = property(lambda self: self._element_spec)
    _type_spec = property(lambda self: OptionalSpec(self._element_spec))

    def has_value(self, name=None):
        return call("OptionalHasValue", (self._variant_tensor,), {}, name)

    def get_value(self, name=None):
        spec = self._element_spec
        held = self._held_values()
        if held is not None:
            return structure.from_components(spec, held)
        tensors = call("OptionalGetValue", (self._variant_tensor,), structure.type_attrs(spec), name)
        return structure.from_components(spec, tensors)

    def _held_values(self):
        """The components of an eager optional as they lie, for instance on a GPU.

        The op would fetch them, and so wait.
        """
        variant = self._variant_tensor
        if state.graph is not None or state.tapes or not isinstance(variant, EagerTensor):
            return None
        element = variant._value.element
        kinds = structure.type_attrs(self._element_spec)["output_types"]
        if element is None or len(element) != len(kinds):
            return None
        return [EagerTensor(value, kind) for value, kind in zip(element, kinds, strict=True)]

    def __repr__(self):
        return f"<Optional element_spec={self._element_spec!r}>"


@export("OptionalSpec")
class OptionalSpec(structure.ElementSpec):
    """Describes an optional by the spec of its value.

    Args:
      element_spec: The structure of `tf.TypeSpec`s of the value.

    >>> tf.OptionalSpec(tf.TensorSpec([], "int32")).value_type.__name__
    '_OptionalImpl'
    """

    __slots__ = ()
    value_type = _OptionalImpl
    _component_dtype = dtypes.variant

    def _to_components(self, value):
        return (value._variant_tensor,)

    def _from_components(self, components):
        return _OptionalImpl(components[0], self._element_spec)
