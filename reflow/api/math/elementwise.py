"""Elementwise ops as plain functions for use by other public functions: no public names, no fast paths.

Python numbers take the dtype of the other operand. `cast` returns a tensor of the right dtype unchanged.
"""

from __future__ import annotations

from reflow.api.call import call, operands
from reflow.core import dtypes
from reflow.ops.convert import convert_to_tensor


def _unary(op_name):
    return lambda x, name=None: call(op_name, (convert_to_tensor(x),), label=name)


def _binary(op_name):
    return lambda x, y, name=None: call(op_name, operands(x, y), label=name)


negative, exp, log, log1p = _unary("Neg"), _unary("Exp"), _unary("Log"), _unary("Log1p")
sqrt, rsqrt, square, reciprocal = _unary("Sqrt"), _unary("Rsqrt"), _unary("Square"), _unary("Reciprocal")
absolute, tanh, sigmoid, erfc, relu = _unary("Abs"), _unary("Tanh"), _unary("Sigmoid"), _unary("Erfc"), _unary("Relu")
real, imag = (
    (lambda x: call("Real", (x,), {"Tout": x.dtype.real_dtype})),
    (lambda x: call("Imag", (x,), {"Tout": x.dtype.real_dtype})),
)

add, subtract, multiply, realdiv = _binary("AddV2"), _binary("Sub"), _binary("Mul"), _binary("RealDiv")
divide_no_nan, power, maximum = _binary("DivNoNan"), _binary("Pow"), _binary("Maximum")
squared_difference = _binary("SquaredDifference")
equal, greater, greater_equal, less_equal = (
    _binary("Equal"),
    _binary("Greater"),
    _binary("GreaterEqual"),
    _binary("LessEqual"),
)
logical_and = _binary("LogicalAnd")


def make_complex(re, im, name=None):
    return call(
        "Complex", (re, im), {"Tout": dtypes.complex128 if re.dtype is dtypes.float64 else dtypes.complex64}, name
    )


def cast(x, dtype, name=None):
    x, dtype = convert_to_tensor(x), dtypes.as_dtype(dtype)
    return x if x.dtype is dtype else call("Cast", (x,), {"DstT": dtype}, name)
