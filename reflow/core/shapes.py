"""Partial shapes.

Inside Reflow a shape is a plain tuple of `int | None` (None: unknown size), or `None` for unknown rank; rules and
kernels work on those. `TensorShape` is the public class around one, with TensorFlow's comparisons and merges.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NoReturn, TypeGuard

from reflow.core.types import ConstantTraceType, Dims, Proto, ShapeLike


def dims_of(shape: ShapeLike) -> Dims | None:
    """The plain tuple behind anything a user may pass as a shape.

    >>> dims_of([2, None])
    (2, None)
    """
    if shape is None:
        return None
    if type(shape) is TensorShape:
        return shape._dims
    if (isinstance(shape, int) and not isinstance(shape, bool)) or type(shape) is Dimension:
        return (_dimension(shape),)
    if hasattr(shape, "unknown_rank") and hasattr(shape, "dim"):  # TensorShapeProto
        if shape.unknown_rank:
            return None
        return tuple(None if d.size == -1 else d.size for d in shape.dim)
    if isinstance(shape, (str, bytes, dict)):
        first = next(iter(shape), None)
        raise TypeError(
            f"Failed to convert '{shape!r}' to a shape: '{first!r}'could not be converted to a dimension. "
            "A shape should either be single dimension (e.g. 10), or an iterable of dimensions (e.g. [1, 10, None])."
        )
    if getattr(shape, "ndim", None) == 0:  # a NumPy scalar
        return (_dimension(shape),)
    return tuple([_dimension(d) for d in shape])


def _dimension(d: Any) -> int | None:
    if d is None:
        return None
    if type(d) is int:
        value = d
    elif type(d) is Dimension:
        return d.value
    else:
        try:
            value = d.__index__()
        except AttributeError:
            raise TypeError(
                "Dimension value must be integer or None or have an __index__ method, "
                f"got value '{d!r}' with type '{type(d)!r}'"
            ) from None
    if value < 0:
        raise ValueError(f"Dimension {value} must be >= 0")
    return value


def is_fully_known(dims: Dims | None) -> TypeGuard[tuple[int, ...]]:
    return dims is not None and None not in dims


def merge(a: Dims | None, b: Dims | None) -> Dims | None:
    """The shape compatible with both; ValueError if there is none."""
    if a is None:
        return b
    if b is None:
        return a
    if not compatible(a, b):
        raise ValueError(f"Shapes {TensorShape(a)} and {TensorShape(b)} are not compatible")
    return tuple([y if x is None else x for x, y in zip(a, b, strict=True)])


def relax(a: Dims | None, b: Dims | None) -> Dims | None:
    """The most specific shape that includes both."""
    if a is None or b is None or len(a) != len(b):
        return None
    return tuple(x if x == y else None for x, y in zip(a, b, strict=True))


def compatible(a: Dims | None, b: Dims | None) -> bool:
    if a is None or b is None:
        return True
    return len(a) == len(b) and all(x is None or y is None or x == y for x, y in zip(a, b, strict=True))


def includes(general: Dims | None, specific: Dims | None) -> bool:
    """Whether every tensor of shape `specific` also has shape `general`."""
    if general is None:
        return True
    if specific is None or len(general) != len(specific):
        return False
    return all(g is None or g == s for g, s in zip(general, specific, strict=True))


class TensorShape(ConstantTraceType):
    """A possibly partial shape, as `tensor.shape` gives it.

    Args:
      dims: A list of sizes, in which None stands for any, a number for one axis, another shape or its proto, or None
        for any rank.

    Raises:
      ValueError: A size is negative.
      TypeError: A size is neither an integer nor None.

    >>> TensorShape([None, 3])
    TensorShape([None, 3])
    """

    __slots__ = ("_dims", "__weakref__")
    _v2_behavior = True  # whether dimensions are plain numbers: `tf.compat.v1.disable_v2_tensorshape`

    def __init__(self, dims: ShapeLike = None) -> None:
        self._dims = dims_of(dims)

    @classmethod
    def experimental_type_proto(cls) -> Any:
        """The class of protos that hold a shape."""
        from tensorboard.compat.proto.tensor_shape_pb2 import TensorShapeProto

        return TensorShapeProto

    @classmethod
    def experimental_from_proto(cls, proto: Proto) -> TensorShape:
        """The shape in a proto."""
        return cls(proto)

    def experimental_as_proto(self) -> Proto:
        """This shape as a proto.

        >>> TensorShape.experimental_from_proto(TensorShape([None, 3]).experimental_as_proto())
        TensorShape([None, 3])
        """
        return self.as_proto()

    @classmethod
    def _of(cls, dims: Dims | None) -> TensorShape:
        """Wrap a tuple that is known to be valid."""
        self = object.__new__(cls)
        self._dims = dims
        return self

    def _known(self) -> Dims:
        if self._dims is None:
            raise ValueError("Cannot take the length of shape with unknown rank.")
        return self._dims

    @property
    def rank(self) -> int | None:
        return None if self._dims is None else len(self._dims)

    @property
    def ndims(self) -> int | None:
        return self.rank

    @property
    def dims(self) -> list[Dimension] | None:
        return None if self._dims is None else [Dimension(d) for d in self._dims]

    def __len__(self) -> int:
        return len(self._known())

    def __bool__(self) -> bool:
        return self._dims is not None

    def __iter__(self) -> Iterator[int | None]:
        if self._dims is None:
            raise ValueError("Cannot iterate over a shape with unknown rank.")
        return iter(self._dims)

    def __getitem__(self, key: int | slice) -> Any:
        if self._dims is None:
            if not isinstance(key, slice):
                return None
            if key.step is not None:
                raise ValueError("Steps are not yet handled")
            start, stop = key.start or 0, key.stop
            if start < 0 or stop is None or stop < 0:
                return TensorShape(None)
            return TensorShape._of((None,) * max(stop - start, 0))
        return TensorShape._of(self._dims[key]) if isinstance(key, slice) else self._dims[key]

    def as_list(self) -> list[int | None]:
        """Returns the sizes, with None for unknown ones.

        Returns:
          A list.

        Raises:
          ValueError: The rank is not known.
        """
        if self._dims is None:
            raise ValueError("as_list() is not defined on an unknown TensorShape.")
        return list(self._dims)

    def as_proto(self) -> Proto:
        """Returns this shape as a proto.

        Returns:
          A TensorShapeProto.
        """
        from tensorboard.compat.proto.tensor_shape_pb2 import TensorShapeProto

        if self._dims is None:
            return TensorShapeProto(unknown_rank=True)
        return TensorShapeProto(dim=[TensorShapeProto.Dim(size=-1 if d is None else d) for d in self._dims])

    def num_elements(self) -> int | None:
        """Returns the number of elements of a tensor of this shape.

        Returns:
          An int, or None if a size is not known.
        """
        if self._dims is None:
            return None
        count = 1
        for d in self._dims:
            if d is None:
                return None
            count *= d
        return count

    def is_fully_defined(self) -> bool:
        """Says whether all sizes are known.

        Returns:
          A bool.
        """
        return is_fully_known(self._dims)

    def assert_is_fully_defined(self) -> None:
        """Checks that all sizes are known.

        Raises:
          ValueError: One is not.
        """
        if not self.is_fully_defined():
            raise ValueError(f"Shape {self} is not fully defined")

    def is_compatible_with(self, other: ShapeLike) -> bool:
        """Says whether a tensor could have both shapes.

        Args:
          other: Another shape.

        Returns:
          A bool.
        """
        return compatible(self._dims, dims_of(other))

    def assert_is_compatible_with(self, other: ShapeLike) -> None:
        """Checks that a tensor could have both shapes.

        Args:
          other: Another shape.

        Raises:
          ValueError: None could.
        """
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {other} are incompatible")

    def assert_same_rank(self, other: ShapeLike) -> None:
        """Checks that another shape may have the same rank.

        Args:
          other: The other shape.

        Raises:
          ValueError: The ranks are known, and differ.
        """
        other = TensorShape(other)
        if self.rank is not None and other.rank is not None and self.rank != other.rank:
            raise ValueError(f"Shapes {self} and {other} must have the same rank")

    def assert_has_rank(self, rank: int | None) -> None:
        """Checks that the rank may be the given one.

        Args:
          rank: The rank.

        Raises:
          ValueError: It is another one.
        """
        if self.rank not in (None, rank):
            raise ValueError(f"Shape {self} must have rank {rank}")

    def with_rank(self, rank: int) -> TensorShape:
        """Returns this shape with the given rank.

        Args:
          rank: The rank.

        Returns:
          A `tf.TensorShape`; of unknown sizes if this rank is not known.

        Raises:
          ValueError: The rank is another one.
        """
        try:
            return TensorShape._of(merge(self._dims, (None,) * rank))
        except ValueError:
            raise ValueError(f"Shape {self} must have rank {rank}") from None

    def with_rank_at_least(self, rank: int) -> TensorShape:
        """Returns this shape if its rank is not known to be lower.

        Args:
          rank: The lowest rank.

        Returns:
          This shape.

        Raises:
          ValueError: The rank is lower.
        """
        return self._unless(operator.lt, rank, "at least")

    def with_rank_at_most(self, rank: int) -> TensorShape:
        """Returns this shape if its rank is not known to be higher.

        Args:
          rank: The highest rank.

        Returns:
          This shape.

        Raises:
          ValueError: The rank is higher.
        """
        return self._unless(operator.gt, rank, "at most")

    def _unless(self, wrong: Callable[[int, int], bool], bound: int, words: str) -> TensorShape:
        """This shape, unless its rank is known to be on the wrong side of a bound."""
        if self.rank is not None and wrong(self.rank, bound):
            raise ValueError(f"Shape {self} must have rank {words} {bound}")
        return self

    def merge_with(self, other: ShapeLike) -> TensorShape:
        """Combines what two shapes of one tensor say.

        Args:
          other: The other shape.

        Returns:
          A `tf.TensorShape` with the sizes that one of them knows.

        Raises:
          ValueError: The shapes are not compatible.
        """
        return TensorShape._of(merge(self._dims, dims_of(other)))

    def concatenate(self, other: ShapeLike) -> TensorShape:
        """Appends the sizes of another shape.

        Args:
          other: The other shape.

        Returns:
          A `tf.TensorShape`; of unknown rank if that of one of them is not known.
        """
        other = dims_of(other)
        if self._dims is None or other is None:
            return TensorShape(None)
        return TensorShape._of(self._dims + other)

    def most_specific_compatible_shape(self, other: ShapeLike) -> TensorShape:
        """Returns the narrowest shape that includes both.

        Args:
          other: Another shape.

        Returns:
          A `tf.TensorShape`, with None for sizes that differ; of unknown rank if the ranks differ.
        """
        return TensorShape._of(relax(self._dims, dims_of(other)))

    def most_specific_common_supertype(self, others: Iterable[ShapeLike]) -> TensorShape:
        """Returns the narrowest shape that includes this and all others.

        Args:
          others: Other shapes.

        Returns:
          A `tf.TensorShape`.
        """
        dims = self._dims
        for other in others:
            dims = relax(dims, dims_of(other))
        return TensorShape._of(dims)

    def is_subtype_of(self, other: ShapeLike) -> bool:
        """Says whether every tensor of this shape also has the other one.

        Args:
          other: Another shape.

        Returns:
          A bool.
        """
        return includes(dims_of(other), self._dims)

    def __add__(self, other: ShapeLike) -> TensorShape:
        return self.concatenate(other)

    def __radd__(self, other: ShapeLike) -> TensorShape:
        return TensorShape(other).concatenate(self)

    def __eq__(self, other: object) -> bool:
        if type(other) is TensorShape:
            return self._dims == other._dims
        try:
            return self._dims == dims_of(other)
        except TypeError:
            return NotImplemented

    def __hash__(self) -> int:
        return hash(self._dims)

    def __reduce__(self) -> tuple[Any, ...]:
        return TensorShape, (None if self._dims is None else [Dimension(d) for d in self._dims],)

    def __repr__(self) -> str:
        return f"TensorShape({'None' if self._dims is None else list(self._dims)})"

    def __str__(self) -> str:
        if self._dims is None:
            return "<unknown>"
        return f"({self._dims[0]},)" if len(self._dims) == 1 else "(" + ", ".join(map(str, self._dims)) + ")"


class Dimension:
    """One dimension of a shape, as in TF1 programs (`shape.dims[0].value`).

    Arithmetic with an unknown dimension is unknown; a comparison with one is `None`.

    >>> Dimension(3) + 2, Dimension(None) * 2
    (Dimension(5), Dimension(None))
    """

    __slots__ = ("_value",)

    def __init__(self, value: Any) -> None:
        self._value = _dimension(value)

    @property
    def value(self) -> int | None:
        return self._value

    def is_compatible_with(self, other: Any) -> bool:
        """Whether one of the two sizes is unknown, or both are equal."""
        other = _dimension(other)
        return self._value is None or other is None or self._value == other

    def assert_is_compatible_with(self, other: Any) -> None:
        """Raises ValueError unless the sizes are compatible."""
        if not self.is_compatible_with(other):
            raise ValueError(f"Dimensions {self} and {other} are not compatible")

    def merge_with(self, other: Any) -> Dimension:
        """The size that satisfies both."""
        self.assert_is_compatible_with(other)
        return Dimension(_dimension(other) if self._value is None else self._value)

    def __index__(self) -> int:
        return self._value  # type: ignore[return-value]  # None is for Python to refuse

    __int__ = __index__

    def __truediv__(self, other: ShapeLike) -> NoReturn:
        raise TypeError(
            f"unsupported operand type(s) for /: 'Dimension' and '{type(other).__name__}', please use // instead"
        )

    def __rtruediv__(self, other: ShapeLike) -> NoReturn:
        raise TypeError(
            f"unsupported operand type(s) for /: '{type(other).__name__}' and 'Dimension', please use // instead"
        )

    def __bool__(self) -> bool:
        return bool(self._value)

    def __reduce__(self) -> tuple[Any, ...]:
        return Dimension, (self._value,)

    def __hash__(self) -> int:
        return hash(self._value)

    def __repr__(self) -> str:
        return f"Dimension({self._value})"

    def __str__(self) -> str:
        return "?" if self._value is None else str(self._value)


def _dimension_method(
    function: Callable[[int, int], Any], wrap: Callable[[Any], Any], swapped: bool = False
) -> Callable[[Dimension, Any], Any]:
    """A method of `Dimension` that applies a function of two ints, or returns unknown."""

    def method(self: Dimension, other: Any) -> Any:
        try:
            other = _dimension(other)
        except (TypeError, ValueError):
            return NotImplemented
        if self._value is None or other is None:
            return wrap(None)
        return wrap(function(other, self._value) if swapped else function(self._value, other))

    return method


for _name in ("add", "sub", "mul", "floordiv", "mod"):
    setattr(Dimension, f"__{_name}__", _dimension_method(getattr(operator, _name), Dimension))
    setattr(Dimension, f"__r{_name}__", _dimension_method(getattr(operator, _name), Dimension, swapped=True))
for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    setattr(Dimension, f"__{_name}__", _dimension_method(getattr(operator, _name), lambda result: result))

UNKNOWN = TensorShape._of(None)
