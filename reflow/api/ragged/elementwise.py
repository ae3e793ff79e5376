"""Ragged tensors element by element: `tf.ragged.map_flat_values`, and operators on the values of equal rows."""

from __future__ import annotations

from reflow.api.array import indexing
from reflow.api.debugging import asserts
from reflow.api.export import export
from reflow.api.math import arithmetic, unary
from reflow.api.operators import ARITHMETIC, COMPARISONS
from reflow.core import ragged as core_ragged
from reflow.core.ragged import RaggedTensor
from reflow.ops.convert import convert_to_tensor


@export("ragged.map_flat_values")
def map_flat_values(op, *args, **kwargs):
    """Apply `op` to the innermost values of ragged arguments, which must have the same rows.

    >>> tf.ragged.map_flat_values(tf.negative, tf.ragged.constant([[1], [2, 3]]))
    <tf.RaggedTensor [[-1], [-2, -3]]>
    """
    ragged = [x for x in (*args, *kwargs.values()) if isinstance(x, RaggedTensor)]
    if not ragged:
        return op(*args, **kwargs)

    for other in ragged[1:]:
        _check_same_rows(ragged[0], other)

    def bare(x):
        return x.flat_values if isinstance(x, RaggedTensor) else x

    return ragged[0].with_flat_values(op(*map(bare, args), **{k: bare(v) for k, v in kwargs.items()}))


def _check_same_rows(a, b):
    """Values meet one by one only in rows of the same lengths."""
    for x, y in zip(a.nested_row_splits, b.nested_row_splits, strict=False):
        if x is not y:
            asserts.assert_equal(x, y)


def _map_pairs(self, function, x, y):
    """A function of two tensors, applied to the values of two ragged tensors, or of one and what is broadcast to it."""
    x, y = (v if isinstance(v, RaggedTensor) else _meeting(v, self) for v in (x, y))
    return map_flat_values(function, x, y)


def _meeting(value, ragged):
    """A dense operand as it meets the innermost values of a ragged one."""
    dense = convert_to_tensor(value) if hasattr(value, "dtype") else convert_to_tensor(value, dtype_hint=ragged.dtype)
    return _spread(dense, ragged) if dense.shape.rank else dense


core_ragged.install_as_values(lambda v: v if hasattr(v, "dtype") else convert_to_tensor(v))
setattr(RaggedTensor, "map_pairs", _map_pairs)  # noqa: B010 - mypy allows no other assignment to a class


def _operator(function, flip=False):
    def method(self, other):
        return self.map_pairs(function, *((other, self) if flip else (self, other)))

    return method


def _spread(dense, like):
    """A dense operand of one column as the values that meet `like`'s: each row repeated."""
    if dense.shape.rank == 2 and dense.shape[1] == 1:
        return indexing.gather(dense[:, 0], like.value_rowids())
    raise ValueError(
        f"A dense operand of shape {dense.shape} does not broadcast to the ragged shape {like.shape} here; "
        "use a ragged one."
    )


for _name, _function in ARITHMETIC.items():
    setattr(RaggedTensor, f"__{_name}__", _operator(_function))
    setattr(RaggedTensor, f"__r{_name}__", _operator(_function, flip=True))
for _name, _function in {**COMPARISONS, "eq": arithmetic.equal, "ne": arithmetic.not_equal}.items():
    setattr(RaggedTensor, f"__{_name}__", _operator(_function))


def _unary(function):
    return lambda self: map_flat_values(function, self)


for _name, _of_one in {"neg": unary.negative, "abs": unary.abs, "invert": unary.logical_not}.items():
    setattr(RaggedTensor, f"__{_name}__", _unary(_of_one))
