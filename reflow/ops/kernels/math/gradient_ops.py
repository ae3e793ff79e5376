"""TensorFlow's own gradient ops, `TanhGrad(y, dy)` and similar ones: graphs from TensorFlow contain them.

Each is a function of the forward op's output y and of a cotangent dy, and has gradients for both.
"""

from __future__ import annotations

import math

from reflow.ops import batching
from reflow.ops import shape_rules as rules
from reflow.ops.kernels.math.unary import conj, reciprocal_grad, rsqrt_grad, sigmoid_grad, sqrt_grad, tanh_grad
from reflow.ops.registry import op


def _gradient_op(name, rule, of_y, of_dy):
    """`rule(xp, dy, y)` is the op; `of_y(xp, g, y, dy, z)` and `of_dy(xp, g, y)` are its gradients, z its output."""

    def grad(xp, attrs, inputs, outputs, cts, wanted):
        (y, dy), (g,) = inputs, cts
        return of_y(xp, g, y, dy, outputs[0]) if wanted[0] else None, of_dy(xp, g, y) if wanted[1] else None

    @op(name, shape=rules.same, grad=grad, elementwise=True, batch=batching.equal_shapes)
    def kernel(xp, y, dy):
        if math.prod(y.shape) != math.prod(dy.shape):
            sizes = f"{math.prod(y.shape)} and {math.prod(dy.shape)}"
            raise ValueError(f"The two arguments to a cwise op must have same number of elements, got {sizes}")
        return rule(xp, dy if tuple(dy.shape) == tuple(y.shape) else xp.reshape(dy, y.shape), y)

    return kernel


def _product(xp, first, *rest):
    for x in rest:
        first = xp.multiply(first, x)
    return first


def _tanh_of_y(xp, g, y, dy, z):
    return _product(xp, g, xp.const(-2, g), conj(xp, dy), conj(xp, y))


def _sigmoid_of_y(xp, g, y, dy, z):
    scaled = xp.multiply(g, conj(xp, dy))
    return xp.subtract(scaled, _product(xp, xp.const(2, g), scaled, conj(xp, y)))


def _sqrt_of_y(xp, g, y, dy, z):
    return xp.multiply(xp.negative(conj(xp, xp.divide(g, y))), z)


def _rsqrt_of_y(xp, g, y, dy, z):
    return _product(xp, xp.const(-1.5, g), conj(xp, g), dy, xp.square(conj(xp, y)))


def _reciprocal_of_y(xp, g, y, dy, z):
    return _product(xp, conj(xp, g), xp.const(-2, g), dy, conj(xp, y))


# TensorFlow's kernels of the first two do not conjugate y, their callers do; the others do
_gradient_op("TanhGrad", lambda xp, g, y: tanh_grad(xp, g, conj(xp, y)), _tanh_of_y, tanh_grad)
_gradient_op("SigmoidGrad", lambda xp, g, y: sigmoid_grad(xp, g, conj(xp, y)), _sigmoid_of_y, sigmoid_grad)
_gradient_op("SqrtGrad", sqrt_grad, _sqrt_of_y, lambda xp, g, y: xp.multiply(xp.const(0.5, g), xp.divide(g, y)))
_gradient_op("RsqrtGrad", rsqrt_grad, _rsqrt_of_y, lambda xp, g, y: rsqrt_grad(xp, g, conj(xp, y)))
for _name in ("ReciprocalGrad", "InvGrad"):
    _gradient_op(_name, reciprocal_grad, _reciprocal_of_y, lambda xp, g, y: reciprocal_grad(xp, g, conj(xp, y)))
