"""Every method of an operator against NumPy on its dense matrix."""

import numpy as np

import reflow as tf

_RANDOM = np.random.RandomState(0)


def numbers(*shape, dtype="float32"):
    """Positive numbers, so that diagonals can be divided by."""
    return (_RANDOM.rand(*shape) + 0.5).astype(dtype)


def matrix(*batch, size=3):
    """Matrices that can be inverted."""
    return numbers(*batch, size, size) + 3 * np.eye(size, dtype="float32")


def adjoint(x):
    return np.conj(np.swapaxes(x, -1, -2))


def close(found, expected):
    found = np.asarray(found)
    assert found.shape == expected.shape
    np.testing.assert_allclose(found, expected, 2e-3, 2e-3)


@tf.function
def _through(operator, x):
    return operator.matmul(x), operator


def check(operator, dense=None):
    """All methods; `dense` is the matrix that the operator stands for."""
    a = operator.to_dense().numpy()
    if dense is not None:
        close(a, dense)
    assert (
        tuple(operator.shape) == tuple(operator.shape_tensor().numpy()) == tuple(operator._shape_tensor().numpy())
        == a.shape
    )
    x, y = (numbers(*a.shape[:-2], size, 2).astype(a.dtype) for size in (a.shape[-1], a.shape[-2]))
    close(operator.matmul(x), a @ x)
    close(operator.matmul(adjoint(x), adjoint_arg=True), a @ x)
    close(operator.matmul(y, adjoint=True), adjoint(a) @ y)
    close(operator.matvec(x[..., 0]), (a @ x)[..., 0])
    close(operator.adjoint().to_dense(), adjoint(a))
    close(operator.add_to_tensor(a), a + a)
    if a.ndim > 2:
        close(operator[:1].to_dense(), a[:1])
    if operator.is_square:
        _check_square(operator, a, y)


def check_in_function(operator):
    """An operator goes into a function and comes out of it."""
    a = operator.to_dense().numpy()
    product, same = _through(operator, np.ones((*a.shape[:-2], a.shape[-1], 1), a.dtype))
    close(product, a.sum(-1, keepdims=True))
    assert type(same) is type(operator) and same._type_spec == operator._type_spec
    close(same.to_dense(), a)


def _check_square(operator, a, y):
    close(operator.diag_part(), np.diagonal(a, axis1=-2, axis2=-1))
    close(operator.trace(), np.trace(a, axis1=-2, axis2=-1))
    close(operator.determinant(), np.linalg.det(a))
    close(operator.matmul(operator).to_dense(), a @ a)
    if operator.is_self_adjoint:
        close(np.sort(operator.eigvals().numpy().real), np.linalg.eigvalsh(a))
    if operator.is_non_singular is False:
        return
    close(np.asarray(operator.log_abs_determinant()).real, np.log(np.abs(np.linalg.det(a))))
    close(operator.solve(y), np.linalg.solve(a, y))
    close(operator.solve(y, adjoint=True), np.linalg.solve(adjoint(a), y))
    close(operator.solve(adjoint(y), adjoint_arg=True), np.linalg.solve(a, y))
    close(operator.solvevec(y[..., 0]), np.linalg.solve(a, y)[..., 0])
    close(operator.inverse().to_dense(), np.linalg.inv(a))
    close(np.asarray(operator.cond()).real, np.linalg.cond(a))
    close(operator.solve(operator).to_dense(), np.broadcast_to(np.eye(a.shape[-1]), a.shape))
