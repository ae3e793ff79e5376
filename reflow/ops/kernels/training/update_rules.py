"""The arithmetic of optimizers: new values of a variable and its slots, given a gradient.

A *rule* is a function of `xp` and the op's operands by name (`o.var`, `o.grad`, `o.lr`…) that returns the new value of
each variable it changes, by name. It is elementwise, so it works for whole variables and for single rows.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

Operands = SimpleNamespace
Update = dict[str, Any]


def _one(xp, like):
    return xp.const(1, like)


def _shrunk(xp, x, l1):
    """`x` moved towards 0 by `l1`, at most to 0."""
    return xp.sign(x) * xp.maximum(xp.abs(x) - l1, xp.const(0, x))


def _proximal(xp, x, rate, l1, l2):
    """The proximal step: the value that minimizes the distance to `x` plus both penalties."""
    shrunk = xp.select(xp.greater(l1, xp.const(0, l1)), _shrunk(xp, x, rate * l1), x)
    return shrunk / (_one(xp, x) + rate * l2)


def gradient_descent(xp, o: Operands) -> Update:
    return {"var": o.var - o.alpha * o.delta}


def proximal_gradient_descent(xp, o: Operands) -> Update:
    gradient = o.delta if hasattr(o, "delta") else o.grad  # TensorFlow's name for rows
    return {"var": _proximal(xp, o.var - o.alpha * gradient, o.alpha, o.l1, o.l2)}


def momentum(xp, o: Operands) -> Update:
    accum = o.accum * o.momentum + o.grad
    step = o.grad * o.lr + accum * o.momentum * o.lr if o.use_nesterov else accum * o.lr
    return {"var": o.var - step, "accum": accum}


def keras_momentum(xp, o: Operands) -> Update:
    accum = o.accum * o.momentum - o.grad * o.lr
    step = accum * o.momentum - o.grad * o.lr if o.use_nesterov else accum
    return {"var": o.var + step, "accum": accum}


def adagrad(xp, o: Operands) -> Update:
    accum = o.accum + o.grad * o.grad if o.update_slots else o.accum
    return {"var": o.var - o.grad * o.lr * xp.rsqrt(accum), "accum": accum}


def adagrad_v2(xp, o: Operands) -> Update:
    accum = o.accum + o.grad * o.grad if o.update_slots else o.accum
    return {"var": o.var - o.grad * o.lr / (xp.sqrt(accum) + o.epsilon), "accum": accum}


def proximal_adagrad(xp, o: Operands) -> Update:
    accum = o.accum + o.grad * o.grad
    rate = o.lr * xp.rsqrt(accum)
    return {"var": _proximal(xp, o.var - o.grad * rate, rate, o.l1, o.l2), "accum": accum}


def adagrad_dual_averaging(xp, o: Operands) -> Update:
    total = o.gradient_accumulator + o.grad
    squares = o.gradient_squared_accumulator + o.grad * o.grad
    step = xp.cast(o.global_step, o.lr.dtype)
    shrunk = xp.select(xp.greater(o.l1, xp.const(0, o.l1)), _shrunk(xp, total, o.l1 * step), total)
    var = -o.lr * shrunk / (o.l2 * step * o.lr + xp.sqrt(squares))
    return {"var": var, "gradient_accumulator": total, "gradient_squared_accumulator": squares}


def adadelta(xp, o: Operands) -> Update:
    rest = _one(xp, o.rho) - o.rho
    accum = o.accum * o.rho + o.grad * o.grad * rest
    update = xp.sqrt(o.accum_update + o.epsilon) * xp.rsqrt(accum + o.epsilon) * o.grad
    return {
        "var": o.var - update * o.lr,
        "accum": accum,
        "accum_update": o.accum_update * o.rho + update * update * rest,
    }


def _adam_rate(xp, o: Operands):
    one = _one(xp, o.beta1)
    return o.lr * xp.sqrt(one - o.beta2_power) / (one - o.beta1_power)


def _moments(xp, o: Operands):
    one = _one(xp, o.beta1)
    m = o.m + (o.grad - o.m) * (one - o.beta1)
    v = o.v + (o.grad * o.grad - o.v) * (one - o.beta2)
    return m, v, _adam_rate(xp, o)


def _fused_adam(xp, o: Operands) -> Update | None:
    one = _one(xp, o.beta1)
    rates = _adam_rate(xp, o), one - o.beta1, one - o.beta2, o.epsilon
    new = None if o.use_nesterov else xp.fused_adam(o.var, o.m, o.v, o.grad, *rates)
    return new and dict(zip(("var", "m", "v"), new, strict=True))


def adam(xp, o: Operands) -> Update:
    fused = _fused_adam(xp, o)
    if fused:
        return fused
    m, v, rate = _moments(xp, o)
    direction = o.grad * (_one(xp, o.beta1) - o.beta1) + o.beta1 * m if o.use_nesterov else m
    return {"var": o.var - direction * rate / (xp.sqrt(v) + o.epsilon), "m": m, "v": v}


def adam_with_amsgrad(xp, o: Operands) -> Update:
    m, v, rate = _moments(xp, o)
    vhat = xp.maximum(o.vhat, v)
    return {"var": o.var - m * rate / (xp.sqrt(vhat) + o.epsilon), "m": m, "v": v, "vhat": vhat}


def adamax(xp, o: Operands) -> Update:
    one = _one(xp, o.beta1)
    m = o.m + (o.grad - o.m) * (one - o.beta1)
    v = xp.maximum(o.beta2 * o.v, xp.abs(o.grad))
    return {"var": o.var - o.lr / (one - o.beta1_power) * (m / (v + o.epsilon)), "m": m, "v": v}


def rms_prop(xp, o: Operands) -> Update:
    ms = o.ms + (o.grad * o.grad - o.ms) * (_one(xp, o.rho) - o.rho)
    mom = o.mom * o.momentum + o.grad * o.lr / xp.sqrt(ms + o.epsilon)
    return {"var": o.var - mom, "ms": ms, "mom": mom}


def centered_rms_prop(xp, o: Operands) -> Update:
    rest = _one(xp, o.rho) - o.rho
    ms = o.ms + (o.grad * o.grad - o.ms) * rest
    mg = o.mg + (o.grad - o.mg) * rest
    mom = o.mom * o.momentum + o.grad * o.lr / xp.sqrt(ms - mg * mg + o.epsilon)
    return {"var": o.var - mom, "mg": mg, "ms": ms, "mom": mom}


def _sign_agreement(xp, o: Operands):
    m = o.m * o.beta + o.grad * (_one(xp, o.beta) - o.beta)
    return m, o.sign_decay * xp.sign(o.grad) * xp.sign(m)


def add_sign(xp, o: Operands) -> Update:
    m, agreement = _sign_agreement(xp, o)
    return {"var": o.var - o.lr * (o.alpha + agreement) * o.grad, "m": m}


def power_sign(xp, o: Operands) -> Update:
    m, agreement = _sign_agreement(xp, o)
    return {"var": o.var - o.lr * xp.exp(o.logbase * agreement) * o.grad, "m": m}


def ftrl(xp, o: Operands) -> Update:
    """Follow the regularised leader.

    With `multiply_linear_by_lr` the slot `linear` holds the sum times the learning rate.
    """
    two = xp.const(2, o.lr)
    gradient = o.grad + two * o.l2_shrinkage * o.var if hasattr(o, "l2_shrinkage") else o.grad
    accum = o.accum + o.grad * o.grad
    old, new = xp.power(o.accum, -o.lr_power), xp.power(accum, -o.lr_power)
    if o.multiply_linear_by_lr:
        linear = o.linear + gradient * o.lr - (new - old) * o.var
        limit, curvature = o.l1 * o.lr, new + two * o.l2 * o.lr
    else:
        linear = o.linear + gradient - (new - old) / o.lr * o.var
        limit, curvature = o.l1, new / o.lr + two * o.l2
    moved = (limit * xp.sign(linear) - linear) / curvature
    var = xp.select(xp.greater(xp.abs(linear), limit + xp.zeros_like(linear)), moved, xp.zeros_like(linear))
    return {"var": var, "accum": accum, "linear": linear}
