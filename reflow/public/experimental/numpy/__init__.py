# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.experimental.numpy`."""

from reflow.api.numpy.arrays import array as array
from reflow.api.numpy.arrays import asanyarray as asanyarray
from reflow.api.numpy.arrays import asarray as asarray
from reflow.api.numpy.arrays import ascontiguousarray as ascontiguousarray
from reflow.api.numpy.arrays import atleast_1d as atleast_1d
from reflow.api.numpy.arrays import atleast_2d as atleast_2d
from reflow.api.numpy.arrays import atleast_3d as atleast_3d
from reflow.api.numpy.arrays import copy as copy
from reflow.api.numpy.arrays import isscalar as isscalar
from reflow.api.numpy.arrays import ndim as ndim
from reflow.api.numpy.arrays import shape as shape
from reflow.api.numpy.arrays import size as size
from reflow.api.numpy.behavior import experimental_enable_numpy_behavior as experimental_enable_numpy_behavior
from reflow.api.numpy.choosing import compress as compress
from reflow.api.numpy.choosing import ix_ as ix_
from reflow.api.numpy.choosing import nonzero as nonzero
from reflow.api.numpy.choosing import select as select
from reflow.api.numpy.choosing import take as take
from reflow.api.numpy.choosing import take_along_axis as take_along_axis
from reflow.api.numpy.choosing import where as where
from reflow.api.numpy.creation import arange as arange
from reflow.api.numpy.creation import broadcast_to as broadcast_to
from reflow.api.numpy.creation import diag as diag
from reflow.api.numpy.creation import diag_indices as diag_indices
from reflow.api.numpy.creation import diagflat as diagflat
from reflow.api.numpy.creation import diagonal as diagonal
from reflow.api.numpy.creation import empty as empty
from reflow.api.numpy.creation import empty_like as empty_like
from reflow.api.numpy.creation import eye as eye
from reflow.api.numpy.creation import full as full
from reflow.api.numpy.creation import full_like as full_like
from reflow.api.numpy.creation import geomspace as geomspace
from reflow.api.numpy.creation import identity as identity
from reflow.api.numpy.creation import linspace as linspace
from reflow.api.numpy.creation import logspace as logspace
from reflow.api.numpy.creation import meshgrid as meshgrid
from reflow.api.numpy.creation import ones as ones
from reflow.api.numpy.creation import ones_like as ones_like
from reflow.api.numpy.creation import tri as tri
from reflow.api.numpy.creation import tril as tril
from reflow.api.numpy.creation import triu as triu
from reflow.api.numpy.creation import vander as vander
from reflow.api.numpy.creation import zeros as zeros
from reflow.api.numpy.creation import zeros_like as zeros_like
from reflow.api.numpy.elementwise import abs as abs
from reflow.api.numpy.elementwise import absolute as absolute
from reflow.api.numpy.elementwise import add as add
from reflow.api.numpy.elementwise import angle as angle
from reflow.api.numpy.elementwise import arccos as arccos
from reflow.api.numpy.elementwise import arccosh as arccosh
from reflow.api.numpy.elementwise import arcsin as arcsin
from reflow.api.numpy.elementwise import arcsinh as arcsinh
from reflow.api.numpy.elementwise import arctan as arctan
from reflow.api.numpy.elementwise import arctan2 as arctan2
from reflow.api.numpy.elementwise import arctanh as arctanh
from reflow.api.numpy.elementwise import around as around
from reflow.api.numpy.elementwise import bitwise_and as bitwise_and
from reflow.api.numpy.elementwise import bitwise_not as bitwise_not
from reflow.api.numpy.elementwise import bitwise_or as bitwise_or
from reflow.api.numpy.elementwise import bitwise_xor as bitwise_xor
from reflow.api.numpy.elementwise import cbrt as cbrt
from reflow.api.numpy.elementwise import ceil as ceil
from reflow.api.numpy.elementwise import conj as conj
from reflow.api.numpy.elementwise import conjugate as conjugate
from reflow.api.numpy.elementwise import cos as cos
from reflow.api.numpy.elementwise import cosh as cosh
from reflow.api.numpy.elementwise import deg2rad as deg2rad
from reflow.api.numpy.elementwise import divide as divide
from reflow.api.numpy.elementwise import divmod as divmod
from reflow.api.numpy.elementwise import exp as exp
from reflow.api.numpy.elementwise import exp2 as exp2
from reflow.api.numpy.elementwise import expm1 as expm1
from reflow.api.numpy.elementwise import fabs as fabs
from reflow.api.numpy.elementwise import fix as fix
from reflow.api.numpy.elementwise import float_power as float_power
from reflow.api.numpy.elementwise import floor as floor
from reflow.api.numpy.elementwise import floor_divide as floor_divide
from reflow.api.numpy.elementwise import gcd as gcd
from reflow.api.numpy.elementwise import heaviside as heaviside
from reflow.api.numpy.elementwise import hypot as hypot
from reflow.api.numpy.elementwise import imag as imag
from reflow.api.numpy.elementwise import isfinite as isfinite
from reflow.api.numpy.elementwise import isnan as isnan
from reflow.api.numpy.elementwise import lcm as lcm
from reflow.api.numpy.elementwise import log as log
from reflow.api.numpy.elementwise import log10 as log10
from reflow.api.numpy.elementwise import log1p as log1p
from reflow.api.numpy.elementwise import log2 as log2
from reflow.api.numpy.elementwise import logaddexp as logaddexp
from reflow.api.numpy.elementwise import logaddexp2 as logaddexp2
from reflow.api.numpy.elementwise import maximum as maximum
from reflow.api.numpy.elementwise import minimum as minimum
from reflow.api.numpy.elementwise import mod as mod
from reflow.api.numpy.elementwise import multiply as multiply
from reflow.api.numpy.elementwise import negative as negative
from reflow.api.numpy.elementwise import nextafter as nextafter
from reflow.api.numpy.elementwise import positive as positive
from reflow.api.numpy.elementwise import power as power
from reflow.api.numpy.elementwise import rad2deg as rad2deg
from reflow.api.numpy.elementwise import real as real
from reflow.api.numpy.elementwise import reciprocal as reciprocal
from reflow.api.numpy.elementwise import remainder as remainder
from reflow.api.numpy.elementwise import round as round
from reflow.api.numpy.elementwise import sign as sign
from reflow.api.numpy.elementwise import signbit as signbit
from reflow.api.numpy.elementwise import sin as sin
from reflow.api.numpy.elementwise import sinc as sinc
from reflow.api.numpy.elementwise import sinh as sinh
from reflow.api.numpy.elementwise import sqrt as sqrt
from reflow.api.numpy.elementwise import square as square
from reflow.api.numpy.elementwise import subtract as subtract
from reflow.api.numpy.elementwise import tan as tan
from reflow.api.numpy.elementwise import tanh as tanh
from reflow.api.numpy.elementwise import true_divide as true_divide
from reflow.api.numpy.logic import allclose as allclose
from reflow.api.numpy.logic import array_equal as array_equal
from reflow.api.numpy.logic import equal as equal
from reflow.api.numpy.logic import greater as greater
from reflow.api.numpy.logic import greater_equal as greater_equal
from reflow.api.numpy.logic import isclose as isclose
from reflow.api.numpy.logic import iscomplex as iscomplex
from reflow.api.numpy.logic import iscomplexobj as iscomplexobj
from reflow.api.numpy.logic import isinf as isinf
from reflow.api.numpy.logic import isneginf as isneginf
from reflow.api.numpy.logic import isposinf as isposinf
from reflow.api.numpy.logic import isreal as isreal
from reflow.api.numpy.logic import isrealobj as isrealobj
from reflow.api.numpy.logic import less as less
from reflow.api.numpy.logic import less_equal as less_equal
from reflow.api.numpy.logic import logical_and as logical_and
from reflow.api.numpy.logic import logical_not as logical_not
from reflow.api.numpy.logic import logical_or as logical_or
from reflow.api.numpy.logic import logical_xor as logical_xor
from reflow.api.numpy.logic import not_equal as not_equal
from reflow.api.numpy.products import cross as cross
from reflow.api.numpy.products import dot as dot
from reflow.api.numpy.products import einsum as einsum
from reflow.api.numpy.products import inner as inner
from reflow.api.numpy.products import kron as kron
from reflow.api.numpy.products import matmul as matmul
from reflow.api.numpy.products import outer as outer
from reflow.api.numpy.products import polyval as polyval
from reflow.api.numpy.products import tensordot as tensordot
from reflow.api.numpy.products import trace as trace
from reflow.api.numpy.products import vdot as vdot
from reflow.api.numpy.reductions import all as all
from reflow.api.numpy.reductions import amax as amax
from reflow.api.numpy.reductions import amin as amin
from reflow.api.numpy.reductions import any as any
from reflow.api.numpy.reductions import argmax as argmax
from reflow.api.numpy.reductions import argmin as argmin
from reflow.api.numpy.reductions import argsort as argsort
from reflow.api.numpy.reductions import average as average
from reflow.api.numpy.reductions import clip as clip
from reflow.api.numpy.reductions import count_nonzero as count_nonzero
from reflow.api.numpy.reductions import cumprod as cumprod
from reflow.api.numpy.reductions import cumsum as cumsum
from reflow.api.numpy.reductions import diff as diff
from reflow.api.numpy.reductions import max as max
from reflow.api.numpy.reductions import mean as mean
from reflow.api.numpy.reductions import min as min
from reflow.api.numpy.reductions import nanmean as nanmean
from reflow.api.numpy.reductions import nanprod as nanprod
from reflow.api.numpy.reductions import nansum as nansum
from reflow.api.numpy.reductions import prod as prod
from reflow.api.numpy.reductions import ptp as ptp
from reflow.api.numpy.reductions import sort as sort
from reflow.api.numpy.reductions import std as std
from reflow.api.numpy.reductions import sum as sum
from reflow.api.numpy.reductions import var as var
from reflow.api.numpy.shaping import append as append
from reflow.api.numpy.shaping import broadcast_arrays as broadcast_arrays
from reflow.api.numpy.shaping import concatenate as concatenate
from reflow.api.numpy.shaping import dsplit as dsplit
from reflow.api.numpy.shaping import dstack as dstack
from reflow.api.numpy.shaping import expand_dims as expand_dims
from reflow.api.numpy.shaping import flatten as flatten
from reflow.api.numpy.shaping import flip as flip
from reflow.api.numpy.shaping import fliplr as fliplr
from reflow.api.numpy.shaping import flipud as flipud
from reflow.api.numpy.shaping import hsplit as hsplit
from reflow.api.numpy.shaping import hstack as hstack
from reflow.api.numpy.shaping import moveaxis as moveaxis
from reflow.api.numpy.shaping import pad as pad
from reflow.api.numpy.shaping import ravel as ravel
from reflow.api.numpy.shaping import repeat as repeat
from reflow.api.numpy.shaping import reshape as reshape
from reflow.api.numpy.shaping import roll as roll
from reflow.api.numpy.shaping import rot90 as rot90
from reflow.api.numpy.shaping import split as split
from reflow.api.numpy.shaping import squeeze as squeeze
from reflow.api.numpy.shaping import stack as stack
from reflow.api.numpy.shaping import swapaxes as swapaxes
from reflow.api.numpy.shaping import tile as tile
from reflow.api.numpy.shaping import transpose as transpose
from reflow.api.numpy.shaping import vsplit as vsplit
from reflow.api.numpy.shaping import vstack as vstack
from reflow.api.numpy.types import bool_ as bool_
from reflow.api.numpy.types import complex128 as complex128
from reflow.api.numpy.types import complex64 as complex64
from reflow.api.numpy.types import complex_ as complex_
from reflow.api.numpy.types import e as e
from reflow.api.numpy.types import finfo as finfo
from reflow.api.numpy.types import float16 as float16
from reflow.api.numpy.types import float32 as float32
from reflow.api.numpy.types import float64 as float64
from reflow.api.numpy.types import float_ as float_
from reflow.api.numpy.types import iinfo as iinfo
from reflow.api.numpy.types import inexact as inexact
from reflow.api.numpy.types import inf as inf
from reflow.api.numpy.types import int16 as int16
from reflow.api.numpy.types import int32 as int32
from reflow.api.numpy.types import int64 as int64
from reflow.api.numpy.types import int8 as int8
from reflow.api.numpy.types import int_ as int_
from reflow.api.numpy.types import issubdtype as issubdtype
from reflow.api.numpy.types import ndarray as ndarray
from reflow.api.numpy.types import newaxis as newaxis
from reflow.api.numpy.types import object_ as object_
from reflow.api.numpy.types import pi as pi
from reflow.api.numpy.types import promote_types as promote_types
from reflow.api.numpy.types import result_type as result_type
from reflow.api.numpy.types import string_ as string_
from reflow.api.numpy.types import uint16 as uint16
from reflow.api.numpy.types import uint32 as uint32
from reflow.api.numpy.types import uint64 as uint64
from reflow.api.numpy.types import uint8 as uint8
from reflow.api.numpy.types import unicode_ as unicode_
from reflow.public.experimental.numpy import random as random

__all__ = [
    "abs", "absolute", "add", "all", "allclose", "amax", "amin", "angle", "any", "append", "arange", "arccos",
    "arccosh", "arcsin", "arcsinh", "arctan", "arctan2", "arctanh", "argmax", "argmin", "argsort", "around", "array",
    "array_equal", "asanyarray", "asarray", "ascontiguousarray", "atleast_1d", "atleast_2d", "atleast_3d", "average",
    "bitwise_and", "bitwise_not", "bitwise_or", "bitwise_xor", "bool_", "broadcast_arrays", "broadcast_to", "cbrt",
    "ceil", "clip", "complex128", "complex64", "complex_", "compress", "concatenate", "conj", "conjugate", "copy",
    "cos", "cosh", "count_nonzero", "cross", "cumprod", "cumsum", "deg2rad", "diag", "diag_indices", "diagflat",
    "diagonal", "diff", "divide", "divmod", "dot", "dsplit", "dstack", "e", "einsum", "empty", "empty_like", "equal",
    "exp", "exp2", "expand_dims", "experimental_enable_numpy_behavior", "expm1", "eye", "fabs", "finfo", "fix",
    "flatten", "flip", "fliplr", "flipud", "float16", "float32", "float64", "float_", "float_power", "floor",
    "floor_divide", "full", "full_like", "gcd", "geomspace", "greater", "greater_equal", "heaviside", "hsplit",
    "hstack", "hypot", "identity", "iinfo", "imag", "inexact", "inf", "inner", "int16", "int32", "int64", "int8",
    "int_", "isclose", "iscomplex", "iscomplexobj", "isfinite", "isinf", "isnan", "isneginf", "isposinf", "isreal",
    "isrealobj", "isscalar", "issubdtype", "ix_", "kron", "lcm", "less", "less_equal", "linspace", "log", "log10",
    "log1p", "log2", "logaddexp", "logaddexp2", "logical_and", "logical_not", "logical_or", "logical_xor", "logspace",
    "matmul", "max", "maximum", "mean", "meshgrid", "min", "minimum", "mod", "moveaxis", "multiply", "nanmean",
    "nanprod", "nansum", "ndarray", "ndim", "negative", "newaxis", "nextafter", "nonzero", "not_equal", "object_",
    "ones", "ones_like", "outer", "pad", "pi", "polyval", "positive", "power", "prod", "promote_types", "ptp",
    "rad2deg", "random", "ravel", "real", "reciprocal", "remainder", "repeat", "reshape", "result_type", "roll",
    "rot90", "round", "select", "shape", "sign", "signbit", "sin", "sinc", "sinh", "size", "sort", "split", "sqrt",
    "square", "squeeze", "stack", "std", "string_", "subtract", "sum", "swapaxes", "take", "take_along_axis", "tan",
    "tanh", "tensordot", "tile", "trace", "transpose", "tri", "tril", "triu", "true_divide", "uint16", "uint32",
    "uint64", "uint8", "unicode_", "vander", "var", "vdot", "vsplit", "vstack", "where", "zeros", "zeros_like",
]
