"""`tensorflow.python.util.custom_nest_protocol`: the methods by which a data class takes part in `tf.nest`."""

from typing import Any, Protocol, runtime_checkable


@runtime_checkable
class CustomNestProtocol(Protocol):
    """A data class with these two methods is a structure: `tf.nest` flattens it and builds it again."""

    def __tf_flatten__(self) -> tuple[Any, tuple[Any, ...]]:
        """(metadata, components): what stays the same, and the children."""
        ...

    @classmethod
    def __tf_unflatten__(cls, metadata: Any, components: tuple[Any, ...]) -> Any:
        """The object with that metadata and those children."""
        ...
