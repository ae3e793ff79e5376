"""`tensorflow.python.ops.linalg.linear_operator_util`: what linear operators are written with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from reflow.api.array import arrange
from reflow.api.control.printing import no_op
from reflow.api.debugging import asserts, types
from reflow.api.linalg.operators import batch, diag, hints
from reflow.api.linalg.operators.blocks import is_blockwise
from reflow.api.scoped import scoped
from reflow.core import dtypes
from reflow.eager.module import Module
from reflow.eager.variables import Variable
from reflow.ops.convert import convert_to_tensor


def is_ref(x: Any) -> bool:
    """Whether something may change its value: a variable, or a module with a dtype and a shape."""
    return isinstance(x, Variable) or (isinstance(x, Module) and hasattr(x, "dtype") and hasattr(x, "shape"))


def assert_not_ref_type(x: Any, arg_name: str) -> None:
    """TypeError for what may change its value."""
    if is_ref(x):
        raise TypeError(f"Argument {arg_name} cannot be reference type. Found: {type(x)}.")


def convert_nonref_to_tensor(value: Any, dtype: Any = None, dtype_hint: Any = None, name: str | None = None) -> Any:
    """A tensor of a value; None, and what may change its value, stay as they are."""
    if value is None:
        return None
    if not is_ref(value):
        return convert_to_tensor(value, dtype, dtype_hint, name)
    if dtype is not None and base_dtype(dtype) != base_dtype(value.dtype):
        raise TypeError(
            f"Argument `value` must be of dtype `{dtype_name(dtype)}` Received: `{dtype_name(value.dtype)}`."
        )
    return value


def base_dtype(dtype: Any) -> Any:
    """The dtype that values of this dtype have."""
    return dtypes.as_dtype(dtype).base_dtype


def dtype_name(dtype: Any) -> str:
    """The name of a dtype."""
    return dtypes.as_dtype(dtype).name


def check_dtype(arg: Any, dtype: Any) -> None:
    """TypeError unless an argument has a dtype."""
    if arg.dtype.base_dtype != dtype:
        raise TypeError(f"Expected argument to have dtype {dtype}. Found: {arg.dtype} in tensor {arg}.")


@scoped("assert_no_entries_with_modulus_zero")
def assert_no_entries_with_modulus_zero(
    x: Any, message: str | None = None, name: str | None = "assert_no_entries_with_modulus_zero"
) -> Any:
    """An assertion that no number is 0."""
    return diag.assert_no_zeros(convert_to_tensor(x), message)


@scoped("assert_zero_imag_part")
def assert_zero_imag_part(x: Any, message: str | None = None, name: str | None = "assert_zero_imag_part") -> Any:
    """An assertion that no number has an imaginary part."""
    x = convert_to_tensor(x)
    return no_op() if x.dtype.is_floating else diag.assert_real(x, message)


def assert_compatible_matrix_dimensions(operator: Any, x: Any) -> Any:
    """An assertion that an operator can be multiplied with a matrix."""
    message = "Dimensions are not compatible.  shape[-2] of argument to be the same as this operator"
    return asserts.assert_equal(arrange.shape(x)[-2], operator.domain_dimension_tensor(), message=message)


def assert_is_batch_matrix(tensor: Any) -> None:
    """ValueError for a tensor with fewer than two axes."""
    if tensor.shape.rank is not None and tensor.shape.rank < 2:
        raise ValueError(f"Expected [batch] matrix to have at least two dimensions. Found: {tensor}.")


def shape_tensor(shape: Any, name: str | None = None) -> Any:
    """A shape as a tensor; an empty one is of int32."""
    return convert_to_tensor(shape, dtypes.int32 if isinstance(shape, (tuple, list)) and not shape else None, name=name)


@scoped("broadcast_matrix_batch_dims")
def broadcast_matrix_batch_dims(batch_matrices: Sequence[Any], name: str | None = None) -> list:
    """Matrices with their batch shapes broadcast to one."""
    types.assert_proper_iterable(batch_matrices)
    matrices = [convert_to_tensor(x) for x in batch_matrices]
    for matrix in matrices:
        assert_is_batch_matrix(matrix)
    return batch.same_batch(matrices)


@scoped("MatrixSolveWithBroadcast")
def matrix_solve_with_broadcast(matrix: Any, rhs: Any, adjoint: bool = False, name: str | None = None) -> Any:
    """The solution of linear systems whose batch shapes broadcast."""
    matrix = convert_to_tensor(matrix)
    return batch.solve(matrix, convert_to_tensor(rhs, matrix.dtype), adjoint)


def is_adjoint_pair(x: Any, y: Any) -> bool:
    """Whether one operator is known to be the adjoint of the other."""
    return hints.is_adjoint_pair(x, y)


def is_aat_form(operators: Sequence[Any]) -> bool:
    """Whether a product of operators is that of some with their own adjoints in the other order."""
    operators = list(operators)
    if not operators:
        raise ValueError("AAT form is undefined for empty operators")
    return hints.is_mirrored(operators)


def use_operator_or_provided_hint_unless_contradicting(
    operator: Any, hint_attr_name: str, provided_hint_value: bool | None, message: str
) -> bool | None:
    """A hint of the operator, or the given one; ValueError if they contradict each other."""
    return hints.agreed(getattr(operator, hint_attr_name), provided_hint_value, message)


def arg_is_blockwise(block_dimensions: Sequence[Any], arg: Any, arg_split_dim: int) -> bool:
    """Whether an argument is a list of blocks rather than one tensor; ValueError if that cannot be told."""
    return is_blockwise(list(block_dimensions), arg, arg_split_dim)


def split_arg_into_blocks(
    block_dims: Sequence[Any], block_dims_fn: Callable[[], Sequence[Any]], arg: Any, axis: int = -1
) -> list:
    """A tensor in parts along an axis; `block_dims_fn` gives the sizes where `block_dims` does not know them all."""
    sizes = [dim.value for dim in block_dims]
    return arrange.split(arg, list(block_dims_fn()) if None in sizes else sizes, axis)
