"""`tensorflow.python.framework.type_spec`: specs of values that datasets stack and `tf.map_fn` takes apart, and other parts of specs."""

import abc

from reflow.api.framework.internal import lookup_type_spec as lookup  # noqa: F401
from reflow.api.framework.internal import register_type_spec as register  # noqa: F401
from reflow.api.framework.internal import type_spec_name as get_name  # noqa: F401
from reflow.core.specs import TypeSpec


class TypeSpecBatchEncoder(abc.ABC):
    """How values of a spec are encoded as tensors to be stacked. Subclasses write all five methods."""

    @abc.abstractmethod
    def batch(self, spec, batch_size):
        """The spec of `batch_size` values; None for an unknown number."""

    @abc.abstractmethod
    def unbatch(self, spec):
        """The spec of one row of a batch."""

    @abc.abstractmethod
    def encode(self, spec, value, minimum_rank=0):
        """The tensors of a value."""

    @abc.abstractmethod
    def decode(self, spec, encoded_value):
        """The value made of such tensors."""

    @abc.abstractmethod
    def encoding_specs(self, spec):
        """The specs of what `encode` gives."""


class BatchableTypeSpec(TypeSpec):
    """The base of specs with `_batch(size)`, the spec of a stack of values, and `_unbatch()`, that of a row."""

    __slots__ = ()


def register_type_spec_from_value_converter(type_object, converter_fn, allow_subclass=False):
    """Let `tf.type_spec_from_value` call `converter_fn` for values of a class, and of its subclasses if that is allowed."""
    from reflow.core.specs import register_spec_maker

    def make(value):
        fits = isinstance(value, type_object) if allow_subclass else type(value) is type_object
        return converter_fn(value) if fits else None

    register_spec_maker(make)
