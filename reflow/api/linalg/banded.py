"""`tf.linalg`: banded matrices."""

from __future__ import annotations

from reflow.api.array import arrange, indexing
from reflow.api.call import call
from reflow.api.export import export
from reflow.api.linalg import diag, solve
from reflow.api.math import arithmetic, unary
from reflow.ops.convert import constant, convert_to_tensor


def _diagonals(diagonals, form) -> list:
    """The diagonals above, on and below the main one, each as long as the matrix is high."""
    if form == "matrix":
        matrix = convert_to_tensor(diagonals)
        if matrix.shape.rank is not None and matrix.shape.rank < 2:
            raise ValueError(f"Expected diagonals to have rank at least 2, got {matrix.shape.rank}")
        rows, columns = matrix.shape[-2], matrix.shape[-1]
        if None not in (rows, columns) and rows != columns:
            raise ValueError(f"Expected last two dimensions of diagonals to be same, got {columns} and {rows}")
        parts = diag.diag_part(matrix, k=(-1, 1), align="LEFT_RIGHT")
        return arrange.unstack(parts, num=3, axis=-2)
    if form == "compact":
        parts = convert_to_tensor(diagonals)
        if parts.shape.rank is not None and parts.shape.rank < 2:
            raise ValueError(f"Expected diagonals to have rank at least 2, got {parts.shape.rank}")
        if parts.shape.rank is not None and parts.shape[-2] not in (None, 3):
            raise ValueError(f"Expected 3 diagonals got {parts.shape[-2]}")
        return arrange.unstack(parts, num=3, axis=-2)
    if form == "sequence":
        if not isinstance(diagonals, (tuple, list)) or len(diagonals) != 3:
            raise ValueError("Expected diagonals to be a sequence of length 3.")
        above, main, below = (convert_to_tensor(d) for d in diagonals)
        if (
            not main.shape[:-1].is_compatible_with(above.shape[:-1])
            or not main.shape[:-1].is_compatible_with(below.shape[:-1])
        ):
            shapes = ", ".join(str(d.shape) for d in (above, main, below))
            raise ValueError(
                "Tensors representing the three diagonals must have the same shape,"
                f"except for the last dimension, got {shapes}"
            )
        size = main.shape[-1]
        return [_padded("superdiagonal", above, size), main, _padded("subdiagonal", below, size)]
    raise ValueError(f"Unrecognized diagonals_format: {form}")


def _padded(name: str, diagonal, size):
    """A diagonal that lacks its unused number, with a zero there."""
    if diagonal.shape[-1] == size:
        return diagonal
    if size is not None and diagonal.shape[-1] != size - 1:
        raise ValueError(f"Expected {name} to be have length {size} or {size - 1}, got {diagonal.shape[-1]}.")
    widths = [[0, 0]] * (diagonal.shape.rank - 1) + [[0, 1] if name == "superdiagonal" else [1, 0]]
    return arrange.pad(diagonal, widths)


@export("linalg.tridiagonal_matmul")
def tridiagonal_matmul(diagonals, rhs, diagonals_format="compact", name=None):
    """Multiplies a tridiagonal matrix by `rhs`.

    Args:
      diagonals: The diagonals above, on and below the main one, in the form that `diagonals_format` says.
      rhs: A matrix, or a batch of them, of the same dtype.
      diagonals_format: "compact" for the three as rows of a tensor, "sequence" for a list of three, "matrix" for the
        whole matrix.
      name: A name for the operation.

    Returns:
      A tensor of the shape and dtype of `rhs`.

    Raises:
      ValueError: The form is another word, or the diagonals do not have it.

    >>> tf.linalg.tridiagonal_matmul([[1.0, 0.0], [2.0, 3.0], [0.0, 4.0]], [[1.0], [1.0]]).numpy().tolist()
    [[3.0], [7.0]]
    """
    rows = [arrange.expand_dims(d, -2) for d in _diagonals(diagonals, diagonals_format)]
    return call("TridiagonalMatMul", (*rows, convert_to_tensor(rhs, rows[1]._dtype)), {}, name)


@export("linalg.tridiagonal_solve")
def tridiagonal_solve(
    diagonals, rhs, diagonals_format: str = "compact", transpose_rhs: bool = False, conjugate_rhs: bool = False,
    name: str | None = None, partial_pivoting: bool = True, perturb_singular: bool = False,
):
    """Solves a tridiagonal linear system.

    Args:
      diagonals: The diagonals above, on and below the main one, in the form that `diagonals_format` says.
      rhs: The right-hand side, a vector or columns of a matrix, of the same dtype.
      diagonals_format: "compact" for the three as rows of a tensor, "sequence" for a list of three, "matrix" for the
        whole matrix.
      transpose_rhs: Whether to transpose `rhs` first.
      conjugate_rhs: Whether to conjugate `rhs` first.
      name: A name for the operation.
      partial_pivoting: Whether rows may be exchanged, which some systems need; else a zero on the way gives NaN.
      perturb_singular: Must be false: only TensorFlow's kernels for GPUs know it.

    Returns:
      The solution, a tensor of the dtype of `rhs` and of its shape, transposed if it was.

    Raises:
      ValueError: `perturb_singular` is set, or the shapes do not match.

    >>> tf.linalg.tridiagonal_solve([[1.0, 0.0], [2.0, 3.0], [0.0, 4.0]], [3.0, 7.0]).numpy().tolist()
    [1.0, 1.0]
    """
    if perturb_singular and not partial_pivoting:
        raise ValueError("partial_pivoting must be True if perturb_singular is True.")
    if perturb_singular:
        raise ValueError("perturb_singular needs a GPU, as in TensorFlow.")
    compact = arrange.stack(_diagonals(diagonals, diagonals_format), axis=-2)
    rhs = convert_to_tensor(rhs, compact._dtype)
    vector = _is_vector(compact.shape, rhs.shape, transpose_rhs)
    if vector:
        rhs = arrange.expand_dims(rhs, -1)
    elif transpose_rhs:
        rhs = (diag.adjoint if conjugate_rhs else diag.matrix_transpose)(rhs)
    if conjugate_rhs and (vector or not transpose_rhs):
        rhs = unary.conj(rhs)
    attrs = {"partial_pivoting": bool(partial_pivoting), "perturb_singular": False}
    found = call("TridiagonalSolve", (compact, rhs), attrs, name)
    return arrange.squeeze(found, [-1]) if vector else found


def _is_vector(shape, rhs, transposed) -> bool:
    """Whether a right-hand side lacks the axis of its columns; ValueError if it does not fit the diagonals."""
    if rhs.rank is None or shape.rank is None:
        return False
    if not shape.rank - 1 <= rhs.rank <= shape.rank:
        raise ValueError(f"Expected the rank of rhs to be {shape.rank - 1} or {shape.rank}, got {rhs.rank}")
    vector = rhs.rank < shape.rank
    batch, rows = (rhs[:-1], rhs[-1]) if vector else (rhs[:-2], rhs[-1 if transposed else -2])
    if not shape[:-2].is_compatible_with(batch):
        raise ValueError(f"Batch shapes {shape[:-2]} and {batch} are incompatible")
    if None not in (rows, shape[-1]) and rows != shape[-1]:
        raise ValueError(
            f"Expected number of left-hand sided and right-hand sides to be equal, got {shape[-1]} and {rows}"
        )
    return vector


@export("linalg.banded_triangular_solve")
def banded_triangular_solve(bands, rhs, lower=True, adjoint=False, name=None):
    """Solves a triangular system whose matrix has only the diagonals in `bands`.

    Of a diagonal above the main one the last numbers are not used, of one below the first.

    Args:
      bands: The diagonals, as rows, from the uppermost to the lowest.
      rhs: The right-hand sides, columns of a matrix.
      lower: Whether the main diagonal is the uppermost; else it is the lowest.
      adjoint: Whether to solve the system of the adjoint matrix.
      name: A name for the operation.

    Returns:
      The solutions, a tensor of the shape and dtype of `rhs`.

    Raises:
      ValueError: The rank of `bands` is below 2.

    >>> tf.linalg.banded_triangular_solve([[2.0, 4.0], [0.0, 1.0]], [[2.0], [5.0]]).numpy().tolist()
    [[1.0], [1.0]]
    """
    bands = convert_to_tensor(bands)
    if bands.shape.rank is not None and bands.shape.rank < 2:
        raise ValueError(f"Shape must be at least rank 2 but is rank {bands.shape.rank}")
    count, size = bands.shape[-2], bands.shape[-1]
    if count is None or size is None:
        sizes = arrange.shape(bands)
        count, size = sizes[-2], sizes[-1]
    ends = (1 - count, 0) if lower else (0, count - 1)
    k = ends if isinstance(count, int) else arrange.stack(ends)
    matrix = diag.diag(bands, k=k, num_rows=size, num_cols=size, align="LEFT_RIGHT")
    if bands.shape.rank is not None:
        matrix.set_shape([*bands.shape[:-2], bands.shape[-1], bands.shape[-1]])
    return solve.triangular_solve(matrix, rhs, lower=lower, adjoint=adjoint, name=name)


@export("linalg.eigh_tridiagonal")
def eigh_tridiagonal(alpha, beta, eigvals_only=True, select="a", select_range=None, tol=None, name=None):
    """Computes eigenvalues, and optionally eigenvectors, of a Hermitian tridiagonal matrix.

    Args:
      alpha: The main diagonal.
      beta: The diagonal below it, of the same dtype; the one above is its conjugate.
      eigvals_only: Whether to return eigenvalues only.
      select: "a" for all, "i" for those from index `select_range[0]` to `[1]`, "v" for those in the interval
        `select_range`.
      select_range: The indices or the interval, whose lower end is excluded.
      tol: How far a value may be off; ours come from a decomposition, which is as exact as the dtype allows.
      name: Ignored.

    Returns:
      A vector of eigenvalues in ascending order; and the eigenvectors as columns of a matrix, unless `eigvals_only`.

    Raises:
      ValueError: `select` is another word, or `tol` negative.

    >>> tf.linalg.eigh_tridiagonal([1.0, 1.0], [1.0]).numpy().round(4).tolist()
    [0.0, 2.0]
    """
    alpha, beta = convert_to_tensor(alpha), convert_to_tensor(beta)
    if tol is not None and not float(tol) >= 0:
        raise ValueError(f"Argument `tol` must not be negative. Received: {tol}")
    matrix = arithmetic.add(diag.diag(alpha), diag.diag(beta, k=-1))
    matrix = arithmetic.add(matrix, diag.diag(unary.conj(beta), k=1))
    values, vectors = solve.eigh(matrix)
    values = unary.real(values)
    if select == "i":
        first, last = select_range
        values, vectors = values[first : last + 1], vectors[:, first : last + 1]
    elif select == "v":
        low, high = (constant(x, values.dtype) for x in select_range)
        inside = arithmetic.logical_and(values > low, values <= high)
        values = indexing.boolean_mask(values, inside)
        vectors = indexing.boolean_mask(vectors, inside, axis=1)
    elif select != "a":
        raise ValueError(f"Argument `select` must have a value in {{'a', 'i', 'v'}}. Received: {select}")
    return values if eigvals_only else (values, vectors)
