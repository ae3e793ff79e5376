"""Elementwise operations on ragged tensors: `tf.ragged.map_flat_values`, and operators on values with equal rows."""

from __future__ import annotations

from reflow.api.export import export
from reflow.api.math import arithmetic, unary
from reflow.api.operators import ARITHMETIC, COMPARISONS
from reflow.api.ragged import broadcast
from reflow.api.ragged.build import as_values
from reflow.core import dtypes, errors, nest
from reflow.core import ragged as core_ragged
from reflow.core.context import state
from reflow.core.ragged import RaggedTensor
from reflow.ops.convert import convert_to_tensor


@export("ragged.map_flat_values")
def map_flat_values(op, *args, **kwargs):
    """Applies `op` to the innermost values of ragged arguments, which must have the same rows.

    Args:
      op: A function that keeps the number of values.
      *args: Its arguments; ragged tensors among them, also in lists and dictionaries, are replaced by their values.
      **kwargs: Its arguments by name, treated alike.

    Returns:
      A `RaggedTensor` with the rows of the arguments and the values that `op` returns; just these if nothing is ragged.

    Raises:
      ValueError: The arguments have other numbers of ragged axes, or `op` changed the number of values.

    >>> tf.ragged.map_flat_values(tf.negative, tf.ragged.constant([[1], [2, 3]]))
    <tf.RaggedTensor [[-1], [-2, -3]]>

    Ragged tensors in lists and dictionaries among the arguments are replaced too.
    """
    ragged = [x for x in nest.flatten((args, kwargs)) if isinstance(x, RaggedTensor)]
    if not ragged:
        return op(*args, **kwargs)
    sizes = {x.flat_values.shape[0] for x in ragged if x.flat_values.shape.rank} - {None}
    if len(sizes) > 1:
        raise ValueError(
            f"Input RaggedTensors' flat_values must all have the same outer-dimension size.  Got sizes: {sizes}"
        )
    partitions = _common_partitions(ragged)
    bare_args, bare_kwargs = nest.map_structure(
        lambda x: x.flat_values if isinstance(x, RaggedTensor) else x, (args, kwargs)
    )
    flat = as_values(op(*bare_args, **bare_kwargs))
    count = ragged[0].flat_values.shape[:1]
    if flat.shape.rank is not None and (flat.shape.rank == 0 or not flat.shape[:1].is_compatible_with(count)):
        raise ValueError(
            "tf.ragged.map_flat_values requires that the output of `op` have the same outer-dimension size as "
            f"flat_values of any ragged inputs. (output shape: {flat.shape}; expected outer dimension size: {count[0]})"
        )
    return RaggedTensor._from_nested_row_partitions(flat, partitions, validate=False)


def _common_partitions(ragged):
    """The partitions of several ragged tensors, which must be the same; each with all that one of them knows."""
    broadcast.same_splits_dtype(ragged)
    depths = {x.ragged_rank for x in ragged}
    if len(depths) > 1:
        raise ValueError("All ragged inputs must have the same ragged_rank.")
    levels = zip(*(x._nested_row_partitions for x in ragged), strict=True)
    merged = []
    for first, *others in levels:
        for other in others:
            first = first._merge_precomputed_encodings(other)
        merged.append(first)
    return merged


def map_ragged(function, values):
    """An elementwise function of several tensors, some of which are ragged, broadcast against each other."""
    values = broadcast.operands(values)
    flats, ragged = broadcast.broadcast(values)
    return ragged(function(*flats))


def _map_pairs(self, function, x, y):
    """A function of two tensors, applied to the values of two ragged tensors, or of one and what is broadcast to it."""
    return map_ragged(function, (x, y))


core_ragged.install_as_values(lambda v, dtype=None: v if hasattr(v, "dtype") else convert_to_tensor(v, dtype))
RaggedTensor.map_pairs = _map_pairs


# The operators call public functions, so that they also work for types of other libraries that borrow them and have
# dispatch targets for these functions (Keras 2 does so for its ragged inputs).


def _operator(function, flip=False):
    def method(self, other):
        return function(other, self) if flip else function(self, other)

    return method


for _name, _function in ARITHMETIC.items():
    setattr(RaggedTensor, f"__{_name}__", _operator(_function))
    setattr(RaggedTensor, f"__r{_name}__", _operator(_function, flip=True))
for _name, _function in COMPARISONS.items():
    setattr(RaggedTensor, f"__{_name}__", _operator(_function))


def _equality(function, otherwise: bool):
    """`==` or `!=`: `otherwise` for None, and in eager code for rows that do not fit; in a plain graph of objects."""

    def method(self, other):
        if other is None:
            return otherwise
        if self._is_in_plain_graph:
            return (self is other) is not otherwise
        try:
            return self.map_pairs(function, self, other)
        except (errors.InvalidArgumentError, ValueError):
            if state.graph is not None:
                raise
            return otherwise

    return method


for _name, _function, _otherwise in (("eq", arithmetic.equal, False), ("ne", arithmetic.not_equal, True)):
    setattr(RaggedTensor, f"__{_name}__", _equality(_function, _otherwise))


def _logical(boolean, bits):
    """`&`, `|` and `^`: of booleans, or of the bits of integers."""

    def choose(self, other):
        kind = self.dtype if isinstance(self, RaggedTensor) else other.dtype
        return boolean if kind is dtypes.bool_ else bits

    return (
        lambda self, other: choose(self, other)(self, other),
        lambda self, other: choose(self, other)(other, self),
    )


for _name, _pair in {
    "and": (arithmetic.logical_and, arithmetic.bitwise_and),
    "or": (arithmetic.logical_or, arithmetic.bitwise_or),
    "xor": (arithmetic.logical_xor, arithmetic.bitwise_xor),
}.items():
    _method, _reflected = _logical(*_pair)
    setattr(RaggedTensor, f"__{_name}__", _method)
    setattr(RaggedTensor, f"__r{_name}__", _reflected)


def _unary(function):
    return lambda self: function(self)


for _name, _of_one in {"neg": unary.negative, "abs": unary.abs, "invert": unary.logical_not}.items():
    setattr(RaggedTensor, f"__{_name}__", _unary(_of_one))
