"""Special functions of `tf.math.special`. Most are not in `xp`: they run on the host, on SciPy.

Their gradients are TensorFlow's formulas, written with `xp` and these functions.
"""

from __future__ import annotations

import math

import numpy as np

from reflow.ops.dispatch import dispatch
from reflow.ops.kernels.math.unary import unary_op
from reflow.ops.registry import get


def _scaled_bessel(name, scaled):
    """BesselI0 and BesselI1 from their exponentially scaled forms, which XLA has."""

    def slope(xp, x, y):
        if name == "BesselI0":
            return xp.multiply(xp.bessel_i1e(x), xp.exp(xp.abs(x)))
        zero = xp.equal(x, xp.const(0, x))
        ratio = xp.divide(y, xp.select(zero, xp.const(1, x), x))
        return xp.select(zero, xp.const(0.5, x), xp.subtract(xp.multiply(xp.bessel_i0e(x), xp.exp(xp.abs(x))), ratio))

    @unary_op(
        name,
        grad=lambda xp, attrs, inputs, outputs, cts, wanted: (xp.multiply(cts[0], slope(xp, inputs[0], outputs[0])),),
    )
    def kernel(xp, x):
        return xp.multiply(getattr(xp, scaled)(x), xp.exp(xp.abs(x)))


_scaled_bessel("BesselI0", "bessel_i0e")
_scaled_bessel("BesselI1", "bessel_i1e")


def _scipy(name, function, slope):
    """A host op from `function(scipy.special, x)`; `slope(ops, x, y)` is its derivative, on tensors."""

    def grad(attrs, inputs, outputs, cts, wanted):
        return (_call("Mul", cts[0], slope(inputs[0], outputs[0])),)

    @unary_op(name, host=True, grad_tensors=grad)
    def kernel(xp, x):
        import scipy.special

        wide = x if x.dtype in (np.float32, np.float64) else x.astype(np.float32)
        return np.asarray(function(scipy.special, wide)).astype(x.dtype)


def _call(name, *tensors):
    return dispatch(get(name), tensors, {})


def _number(value, like):
    from reflow.ops.convert import constant

    return constant(value, like._dtype)


def _minus(f):
    return lambda x, y: _call("Neg", f(x, y))


def _of(name):
    return lambda x, y: _call(name, x)


def _over(x, y):
    return _call("RealDiv", y, x)


def _sub(f, g):
    return lambda x, y: _call("Sub", f(x, y), g(x, y))


def _y(x, y):
    return y


def _wave(name):
    return lambda x, y: _call(name, _call("Mul", _number(math.pi / 2, x), _call("Square", x)))


def _at(place, value, f):
    """f, and `value` where x == place."""

    def slope(x, y):
        special = _call("Equal", x, _number(place, x))
        safe = _call("SelectV2", special, _number(place + 1, x), x)
        return _call("SelectV2", special, _number(value, x), f(safe, y))

    return slope


def _above_zero(f, x, value: float):
    """f of positive numbers; of others what it tends to at 0, as in TensorFlow."""
    return np.where(x <= 0, value, f(x)).astype(x.dtype)


_scipy("BesselK0", lambda sp, x: _above_zero(sp.k0, x, np.inf), _minus(_of("BesselK1")))
_scipy(
    "BesselK1", lambda sp, x: _above_zero(sp.k1, x, np.inf),
    _minus(lambda x, y: _call("AddV2", _call("BesselK0", x), _over(x, y))),
)
_scipy("BesselK0e", lambda sp, x: _above_zero(sp.k0e, x, np.inf), _sub(_y, _of("BesselK1e")))
_scipy("BesselK1e", lambda sp, x: _above_zero(sp.k1e, x, np.inf), _sub(_sub(_y, _over), _of("BesselK0e")))
_scipy("BesselJ0", lambda sp, x: sp.j0(x), _minus(_of("BesselJ1")))
_scipy("BesselJ1", lambda sp, x: sp.j1(x), _at(0, 0.5, _sub(_of("BesselJ0"), _over)))
_scipy("BesselY0", lambda sp, x: _above_zero(sp.y0, x, -np.inf), _minus(_of("BesselY1")))
_scipy("BesselY1", lambda sp, x: _above_zero(sp.y1, x, -np.inf), _sub(_of("BesselY0"), _over))
_scipy(
    "Dawsn",
    lambda sp, x: sp.dawsn(x),
    lambda x, y: _call("Sub", _number(1, x), _call("Mul", _number(2, x), _call("Mul", x, y))),
)
_scipy(
    "Expint", lambda sp, x: np.where((x < 0) | (x == np.inf), np.nan, sp.expi(x)).astype(x.dtype),
    lambda x, y: _over(x, _call("Exp", x)),
)
_scipy("FresnelCos", lambda sp, x: sp.fresnel(x)[1], _wave("Cos"))
_scipy("FresnelSin", lambda sp, x: sp.fresnel(x)[0], _wave("Sin"))
_scipy(
    "Spence",
    lambda sp, x: sp.spence(x),
    _at(1, -1, lambda x, y: _call("RealDiv", _call("Log", x), _call("Sub", _number(1, x), x))),
)
