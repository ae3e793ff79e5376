# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.compat.v1.math`."""

from reflow.api.array.arrange import invert_permutation as invert_permutation
from reflow.api.array.sorting import top_k as top_k
from reflow.api.math.arithmetic import accumulate_n as accumulate_n
from reflow.api.math.arithmetic import add as add
from reflow.api.math.arithmetic import add_n as add_n
from reflow.api.math.arithmetic import divide as divide
from reflow.api.math.arithmetic import divide_no_nan as divide_no_nan
from reflow.api.math.arithmetic import equal as equal
from reflow.api.math.arithmetic import floordiv as floordiv
from reflow.api.math.arithmetic import floormod as floormod
from reflow.api.math.arithmetic import floormod as mod
from reflow.api.math.arithmetic import greater as greater
from reflow.api.math.arithmetic import greater_equal as greater_equal
from reflow.api.math.arithmetic import less as less
from reflow.api.math.arithmetic import less_equal as less_equal
from reflow.api.math.arithmetic import logical_and as logical_and
from reflow.api.math.arithmetic import logical_or as logical_or
from reflow.api.math.arithmetic import logical_xor as logical_xor
from reflow.api.math.arithmetic import maximum as maximum
from reflow.api.math.arithmetic import minimum as minimum
from reflow.api.math.arithmetic import multiply as multiply
from reflow.api.math.arithmetic import multiply_no_nan as multiply_no_nan
from reflow.api.math.arithmetic import not_equal as not_equal
from reflow.api.math.arithmetic import pow as pow
from reflow.api.math.arithmetic import reciprocal_no_nan as reciprocal_no_nan
from reflow.api.math.arithmetic import scalar_mul as scalar_mul
from reflow.api.math.arithmetic import squared_difference as squared_difference
from reflow.api.math.arithmetic import subtract as subtract
from reflow.api.math.arithmetic import truediv as truediv
from reflow.api.math.reduce import cumprod as cumprod
from reflow.api.math.reduce import cumsum as cumsum
from reflow.api.math.reduce import cumulative_logsumexp as cumulative_logsumexp
from reflow.api.math.reduce import reduce_euclidean_norm as reduce_euclidean_norm
from reflow.api.math.reduce import reduce_std as reduce_std
from reflow.api.math.reduce import reduce_variance as reduce_variance
from reflow.api.math.segment import bincount as bincount
from reflow.api.math.segment import segment_max as segment_max
from reflow.api.math.segment import segment_mean as segment_mean
from reflow.api.math.segment import segment_min as segment_min
from reflow.api.math.segment import segment_prod as segment_prod
from reflow.api.math.segment import segment_sum as segment_sum
from reflow.api.math.segment import unsorted_segment_max as unsorted_segment_max
from reflow.api.math.segment import unsorted_segment_mean as unsorted_segment_mean
from reflow.api.math.segment import unsorted_segment_min as unsorted_segment_min
from reflow.api.math.segment import unsorted_segment_prod as unsorted_segment_prod
from reflow.api.math.segment import unsorted_segment_sqrt_n as unsorted_segment_sqrt_n
from reflow.api.math.segment import unsorted_segment_sum as unsorted_segment_sum
from reflow.api.math.special import atan2 as atan2
from reflow.api.math.special import bessel_i0 as bessel_i0
from reflow.api.math.special import bessel_i0e as bessel_i0e
from reflow.api.math.special import bessel_i1 as bessel_i1
from reflow.api.math.special import bessel_i1e as bessel_i1e
from reflow.api.math.special import betainc as betainc
from reflow.api.math.special import digamma as digamma
from reflow.api.math.special import erf as erf
from reflow.api.math.special import erfc as erfc
from reflow.api.math.special import erfcinv as erfcinv
from reflow.api.math.special import erfinv as erfinv
from reflow.api.math.special import igamma as igamma
from reflow.api.math.special import igammac as igammac
from reflow.api.math.special import is_non_decreasing as is_non_decreasing
from reflow.api.math.special import is_strictly_increasing as is_strictly_increasing
from reflow.api.math.special import lbeta as lbeta
from reflow.api.math.special import lgamma as lgamma
from reflow.api.math.special import log_sigmoid as log_sigmoid
from reflow.api.math.special import ndtri as ndtri
from reflow.api.math.special import nextafter as nextafter
from reflow.api.math.special import polygamma as polygamma
from reflow.api.math.special import polyval as polyval
from reflow.api.math.special import xdivy as xdivy
from reflow.api.math.special import xlog1py as xlog1py
from reflow.api.math.special import xlogy as xlogy
from reflow.api.math.special import zeta as zeta
from reflow.api.math.statistics import approx_max_k as approx_max_k
from reflow.api.math.statistics import approx_min_k as approx_min_k
from reflow.api.math.statistics import sobol_sample as sobol_sample
from reflow.api.math.unary import abs as abs
from reflow.api.math.unary import acos as acos
from reflow.api.math.unary import acosh as acosh
from reflow.api.math.unary import angle as angle
from reflow.api.math.unary import asin as asin
from reflow.api.math.unary import asinh as asinh
from reflow.api.math.unary import atan as atan
from reflow.api.math.unary import atanh as atanh
from reflow.api.math.unary import ceil as ceil
from reflow.api.math.unary import conj as conj
from reflow.api.math.unary import cos as cos
from reflow.api.math.unary import cosh as cosh
from reflow.api.math.unary import exp as exp
from reflow.api.math.unary import expm1 as expm1
from reflow.api.math.unary import floor as floor
from reflow.api.math.unary import imag as imag
from reflow.api.math.unary import is_finite as is_finite
from reflow.api.math.unary import is_inf as is_inf
from reflow.api.math.unary import is_nan as is_nan
from reflow.api.math.unary import log as log
from reflow.api.math.unary import log1p as log1p
from reflow.api.math.unary import logical_not as logical_not
from reflow.api.math.unary import negative as negative
from reflow.api.math.unary import real as real
from reflow.api.math.unary import reciprocal as reciprocal
from reflow.api.math.unary import rint as rint
from reflow.api.math.unary import round as round
from reflow.api.math.unary import rsqrt as rsqrt
from reflow.api.math.unary import sigmoid as sigmoid
from reflow.api.math.unary import sign as sign
from reflow.api.math.unary import sin as sin
from reflow.api.math.unary import sinh as sinh
from reflow.api.math.unary import sqrt as sqrt
from reflow.api.math.unary import square as square
from reflow.api.math.unary import tan as tan
from reflow.api.math.unary import tanh as tanh
from reflow.api.nn.activations import softplus as softplus
from reflow.api.nn.activations import softsign as softsign
from reflow.api.nn.statistics import l2_normalize as l2_normalize
from reflow.api.nn.statistics import zero_fraction as zero_fraction
from reflow.compat.functions import argmax as argmax
from reflow.compat.functions import argmin as argmin
from reflow.compat.functions import log_softmax as log_softmax
from reflow.compat.functions import reduce_all as reduce_all
from reflow.compat.functions import reduce_any as reduce_any
from reflow.compat.functions import reduce_logsumexp as reduce_logsumexp
from reflow.compat.functions import reduce_max as reduce_max
from reflow.compat.functions import reduce_mean as reduce_mean
from reflow.compat.functions import reduce_min as reduce_min
from reflow.compat.functions import reduce_prod as reduce_prod
from reflow.compat.functions import reduce_sum as reduce_sum
from reflow.compat.functions import softmax as softmax
from reflow.compat.reordered import confusion_matrix as confusion_matrix
from reflow.compat.reordered import count_nonzero as count_nonzero
from reflow.compat.reordered import in_top_k as in_top_k
from reflow.public.compat.v1.math import special as special

__all__ = [
    "abs", "accumulate_n", "acos", "acosh", "add", "add_n", "angle", "approx_max_k", "approx_min_k", "argmax", "argmin",
    "asin", "asinh", "atan", "atan2", "atanh", "bessel_i0", "bessel_i0e", "bessel_i1", "bessel_i1e", "betainc",
    "bincount", "ceil", "confusion_matrix", "conj", "cos", "cosh", "count_nonzero", "cumprod", "cumsum",
    "cumulative_logsumexp", "digamma", "divide", "divide_no_nan", "equal", "erf", "erfc", "erfcinv", "erfinv", "exp",
    "expm1", "floor", "floordiv", "floormod", "greater", "greater_equal", "igamma", "igammac", "imag", "in_top_k",
    "invert_permutation", "is_finite", "is_inf", "is_nan", "is_non_decreasing", "is_strictly_increasing",
    "l2_normalize", "lbeta", "less", "less_equal", "lgamma", "log", "log1p", "log_sigmoid", "log_softmax",
    "logical_and", "logical_not", "logical_or", "logical_xor", "maximum", "minimum", "mod", "multiply",
    "multiply_no_nan", "ndtri", "negative", "nextafter", "not_equal", "polygamma", "polyval", "pow", "real",
    "reciprocal", "reciprocal_no_nan", "reduce_all", "reduce_any", "reduce_euclidean_norm", "reduce_logsumexp",
    "reduce_max", "reduce_mean", "reduce_min", "reduce_prod", "reduce_std", "reduce_sum", "reduce_variance", "rint",
    "round", "rsqrt", "scalar_mul", "segment_max", "segment_mean", "segment_min", "segment_prod", "segment_sum",
    "sigmoid", "sign", "sin", "sinh", "sobol_sample", "softmax", "softplus", "softsign", "special", "sqrt", "square",
    "squared_difference", "subtract", "tan", "tanh", "top_k", "truediv", "unsorted_segment_max",
    "unsorted_segment_mean", "unsorted_segment_min", "unsorted_segment_prod", "unsorted_segment_sqrt_n",
    "unsorted_segment_sum", "xdivy", "xlog1py", "xlogy", "zero_fraction", "zeta",
]
