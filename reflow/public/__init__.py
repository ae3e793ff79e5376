# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""`tf`: the names right below `tf`."""

from typing import TYPE_CHECKING

from reflow.api.array.arrange import bitcast as bitcast
from reflow.api.array.arrange import broadcast_to as broadcast_to
from reflow.api.array.arrange import concat as concat
from reflow.api.array.arrange import expand_dims as expand_dims
from reflow.api.array.arrange import pad as pad
from reflow.api.array.arrange import parallel_stack as parallel_stack
from reflow.api.array.arrange import reshape as reshape
from reflow.api.array.arrange import reverse as reverse
from reflow.api.array.arrange import roll as roll
from reflow.api.array.arrange import split as split
from reflow.api.array.arrange import squeeze as squeeze
from reflow.api.array.arrange import stack as stack
from reflow.api.array.arrange import tile as tile
from reflow.api.array.arrange import transpose as transpose
from reflow.api.array.arrange import unstack as unstack
from reflow.api.array.basics import broadcast_dynamic_shape as broadcast_dynamic_shape
from reflow.api.array.basics import broadcast_static_shape as broadcast_static_shape
from reflow.api.array.basics import constant as constant
from reflow.api.array.basics import ensure_shape as ensure_shape
from reflow.api.array.basics import get_static_value as get_static_value
from reflow.api.array.basics import guarantee_const as guarantee_const
from reflow.api.array.basics import identity as identity
from reflow.api.array.basics import identity_n as identity_n
from reflow.api.array.basics import is_symbolic_tensor as is_symbolic_tensor
from reflow.api.array.basics import is_tensor as is_tensor
from reflow.api.array.basics import public_convert_to_tensor as convert_to_tensor
from reflow.api.array.basics import rank as rank
from reflow.api.array.basics import shape as shape
from reflow.api.array.basics import shape_n as shape_n
from reflow.api.array.basics import size as size
from reflow.api.array.basics import stop_gradient as stop_gradient
from reflow.api.array.creation import eye as eye
from reflow.api.array.creation import fill as fill
from reflow.api.array.creation import linspace as linspace
from reflow.api.array.creation import meshgrid as meshgrid
from reflow.api.array.creation import one_hot as one_hot
from reflow.api.array.creation import ones as ones
from reflow.api.array.creation import ones_like as ones_like
from reflow.api.array.creation import range as range
from reflow.api.array.creation import repeat as repeat
from reflow.api.array.creation import sequence_mask as sequence_mask
from reflow.api.array.creation import zeros as zeros
from reflow.api.array.creation import zeros_like as zeros_like
from reflow.api.array.indexing import boolean_mask as boolean_mask
from reflow.api.array.indexing import gather as gather
from reflow.api.array.indexing import gather_nd as gather_nd
from reflow.api.array.indexing import newaxis as newaxis
from reflow.api.array.indexing import scatter_nd as scatter_nd
from reflow.api.array.indexing import slice as slice
from reflow.api.array.indexing import strided_slice as strided_slice
from reflow.api.array.indexing import tensor_scatter_nd_add as tensor_scatter_nd_add
from reflow.api.array.indexing import tensor_scatter_nd_max as tensor_scatter_nd_max
from reflow.api.array.indexing import tensor_scatter_nd_min as tensor_scatter_nd_min
from reflow.api.array.indexing import tensor_scatter_nd_sub as tensor_scatter_nd_sub
from reflow.api.array.indexing import tensor_scatter_nd_update as tensor_scatter_nd_update
from reflow.api.control.functional import foldl as foldl
from reflow.api.control.functional import foldr as foldr
from reflow.api.control.functional import map_fn as map_fn
from reflow.api.control.functional import scan as scan
from reflow.api.control.printing import Assert as Assert
from reflow.api.control.printing import group as group
from reflow.api.control.printing import no_op as no_op
from reflow.api.control.printing import print_ as print
from reflow.api.control.tensor_array import TensorArray as TensorArray
from reflow.api.control.tensor_array import TensorArraySpec as TensorArraySpec
from reflow.api.control.vectorized import vectorized_map as vectorized_map
from reflow.api.debugging.asserts import assert_equal as assert_equal
from reflow.api.debugging.asserts import assert_greater as assert_greater
from reflow.api.debugging.asserts import assert_less as assert_less
from reflow.api.debugging.asserts import assert_rank as assert_rank
from reflow.api.framework.core_names import control_dependencies as control_dependencies
from reflow.api.framework.core_names import inside_function as inside_function
from reflow.api.linalg.products import einsum as einsum
from reflow.api.linalg.products import matmul as matmul
from reflow.api.linalg.products import tensordot as tensordot
from reflow.api.math.arithmetic import add as add
from reflow.api.math.arithmetic import add_n as add_n
from reflow.api.math.arithmetic import cast as cast
from reflow.api.math.arithmetic import divide as divide
from reflow.api.math.arithmetic import maximum as maximum
from reflow.api.math.arithmetic import minimum as minimum
from reflow.api.math.arithmetic import multiply as multiply
from reflow.api.math.arithmetic import pow as pow
from reflow.api.math.arithmetic import realdiv as realdiv
from reflow.api.math.arithmetic import saturate_cast as saturate_cast
from reflow.api.math.arithmetic import scalar_mul as scalar_mul
from reflow.api.math.arithmetic import subtract as subtract
from reflow.api.math.arithmetic import truediv as truediv
from reflow.api.math.arithmetic import truncatediv as truncatediv
from reflow.api.math.arithmetic import truncatemod as truncatemod
from reflow.api.math.arithmetic import where as where
from reflow.api.math.clip import clip_by_global_norm as clip_by_global_norm
from reflow.api.math.clip import clip_by_norm as clip_by_norm
from reflow.api.math.clip import clip_by_value as clip_by_value
from reflow.api.math.logic import equal as equal
from reflow.api.math.logic import greater as greater
from reflow.api.math.logic import greater_equal as greater_equal
from reflow.api.math.logic import less as less
from reflow.api.math.logic import less_equal as less_equal
from reflow.api.math.logic import logical_and as logical_and
from reflow.api.math.logic import logical_or as logical_or
from reflow.api.math.logic import not_equal as not_equal
from reflow.api.math.reduce import argmax as argmax
from reflow.api.math.reduce import argmin as argmin
from reflow.api.math.reduce import cumsum as cumsum
from reflow.api.math.reduce import reduce_all as reduce_all
from reflow.api.math.reduce import reduce_any as reduce_any
from reflow.api.math.reduce import reduce_logsumexp as reduce_logsumexp
from reflow.api.math.reduce import reduce_max as reduce_max
from reflow.api.math.reduce import reduce_mean as reduce_mean
from reflow.api.math.reduce import reduce_min as reduce_min
from reflow.api.math.reduce import reduce_prod as reduce_prod
from reflow.api.math.reduce import reduce_sum as reduce_sum
from reflow.api.math.unary import abs as abs
from reflow.api.math.unary import acos as acos
from reflow.api.math.unary import acosh as acosh
from reflow.api.math.unary import asin as asin
from reflow.api.math.unary import asinh as asinh
from reflow.api.math.unary import atan as atan
from reflow.api.math.unary import atanh as atanh
from reflow.api.math.unary import complex as complex
from reflow.api.math.unary import cos as cos
from reflow.api.math.unary import cosh as cosh
from reflow.api.math.unary import exp as exp
from reflow.api.math.unary import floor as floor
from reflow.api.math.unary import logical_not as logical_not
from reflow.api.math.unary import negative as negative
from reflow.api.math.unary import round as round
from reflow.api.math.unary import sigmoid as sigmoid
from reflow.api.math.unary import sign as sign
from reflow.api.math.unary import sin as sin
from reflow.api.math.unary import sinh as sinh
from reflow.api.math.unary import sqrt as sqrt
from reflow.api.math.unary import square as square
from reflow.api.math.unary import tan as tan
from reflow.api.math.unary import tanh as tanh
from reflow.core.context import executing_eagerly as executing_eagerly
from reflow.core.context import init_scope as init_scope
from reflow.core.dtypes import DType as DType
from reflow.core.dtypes import as_dtype as as_dtype
from reflow.core.dtypes import bfloat16 as bfloat16
from reflow.core.dtypes import bool_ as bool
from reflow.core.dtypes import complex128 as complex128
from reflow.core.dtypes import complex64 as complex64
from reflow.core.dtypes import float16 as float16
from reflow.core.dtypes import float32 as float32
from reflow.core.dtypes import float64 as float64
from reflow.core.dtypes import int16 as int16
from reflow.core.dtypes import int32 as int32
from reflow.core.dtypes import int64 as int64
from reflow.core.dtypes import int8 as int8
from reflow.core.dtypes import qint16 as qint16
from reflow.core.dtypes import qint32 as qint32
from reflow.core.dtypes import qint8 as qint8
from reflow.core.dtypes import quint16 as quint16
from reflow.core.dtypes import quint8 as quint8
from reflow.core.dtypes import resource as resource
from reflow.core.dtypes import string as string
from reflow.core.dtypes import uint16 as uint16
from reflow.core.dtypes import uint32 as uint32
from reflow.core.dtypes import uint64 as uint64
from reflow.core.dtypes import uint8 as uint8
from reflow.core.dtypes import variant as variant
from reflow.core.indexed_slices import IndexedSlices as IndexedSlices
from reflow.core.indexed_slices import IndexedSlicesSpec as IndexedSlicesSpec
from reflow.core.logging import get_logger as get_logger
from reflow.core.name_scope import name_scope as name_scope
from reflow.core.ragged import RaggedTensor as RaggedTensor
from reflow.core.ragged import RaggedTensorSpec as RaggedTensorSpec
from reflow.core.shapes import TensorShape as TensorShape
from reflow.core.sparse import SparseTensor as SparseTensor
from reflow.core.sparse import SparseTensorSpec as SparseTensorSpec
from reflow.core.specs import NoneTensorSpec as NoneTensorSpec
from reflow.core.specs import TensorSpec as TensorSpec
from reflow.core.specs import TypeSpec as TypeSpec
from reflow.core.specs import type_spec_from_value as type_spec_from_value
from reflow.core.tensor import Tensor as Tensor
from reflow.devices.names import DeviceSpec as DeviceSpec
from reflow.eager.tape import GradientTape as GradientTape
from reflow.eager.tape import UnconnectedGradients as UnconnectedGradients
from reflow.eager.variable_enums import VariableAggregation as VariableAggregation
from reflow.eager.variable_enums import VariableSynchronization as VariableSynchronization
from reflow.eager.variables import Variable as Variable
from reflow.eager.variables import variable_creator_scope as variable_creator_scope
from reflow.function.control_flow import cond as cond
from reflow.function.control_flow import while_loop as while_loop
from reflow.function.function import function as function
from reflow.graph.graph import Graph as Graph
from reflow.graph.node import Node as Operation
from reflow.ops.convert import register_tensor_conversion_function as register_tensor_conversion_function
from reflow.core.namespaces import later

if TYPE_CHECKING:
    from reflow.api.array.blocks import batch_to_space as batch_to_space
    from reflow.api.array.blocks import dynamic_partition as dynamic_partition
    from reflow.api.array.blocks import dynamic_stitch as dynamic_stitch
    from reflow.api.array.blocks import edit_distance as edit_distance
    from reflow.api.array.blocks import required_space_to_batch_paddings as required_space_to_batch_paddings
    from reflow.api.array.blocks import reverse_sequence as reverse_sequence
    from reflow.api.array.blocks import space_to_batch as space_to_batch
    from reflow.api.array.blocks import space_to_batch_nd as space_to_batch_nd
    from reflow.api.array.blocks import unravel_index as unravel_index
    from reflow.api.array.sorting import argsort as argsort
    from reflow.api.array.sorting import searchsorted as searchsorted
    from reflow.api.array.sorting import sort as sort
    from reflow.api.array.sorting import unique as unique
    from reflow.api.array.sorting import unique_with_counts as unique_with_counts
    from reflow.api.config import device as device
    from reflow.api.control.branches import case as case
    from reflow.api.control.branches import switch_case as switch_case
    from reflow.api.control.critical_section import AggregationMethod as AggregationMethod
    from reflow.api.control.critical_section import CriticalSection as CriticalSection
    from reflow.api.control.critical_section import get_current_name_scope as get_current_name_scope
    from reflow.api.control.critical_section import load_library as load_library
    from reflow.api.control.critical_section import load_op_library as load_op_library
    from reflow.api.control.critical_section import tuple_ as tuple
    from reflow.api.control.py_functions import numpy_function as numpy_function
    from reflow.api.control.py_functions import py_function as py_function
    from reflow.api.debugging.check_numerics import check_pinned as check_pinned
    from reflow.api.debugging.types import is_numeric_tensor as is_numeric_tensor
    from reflow.api.framework.drawing import draw as draw
    from reflow.api.framework.explain import explain as explain
    from reflow.api.framework.graph_names import import_graph_def as import_graph_def
    from reflow.api.framework.graph_names import make_ndarray as make_ndarray
    from reflow.api.framework.graph_names import make_tensor_proto as make_tensor_proto
    from reflow.api.gradients import RegisterGradient as RegisterGradient
    from reflow.api.gradients import custom_gradient as custom_gradient
    from reflow.api.gradients import grad_pass_through as grad_pass_through
    from reflow.api.gradients import gradients as gradients
    from reflow.api.gradients import hessians as hessians
    from reflow.api.gradients import no_gradient as no_gradient
    from reflow.api.gradients import recompute_grad as recompute_grad
    from reflow.api.initializers import Constant as constant_initializer
    from reflow.api.initializers import Ones as ones_initializer
    from reflow.api.initializers import RandomNormal as random_normal_initializer
    from reflow.api.initializers import RandomUniform as random_uniform_initializer
    from reflow.api.initializers import Zeros as zeros_initializer
    from reflow.api.jax_functions import from_jax as from_jax
    from reflow.api.jax_functions import to_jax as to_jax
    from reflow.api.linalg.norms import norm as norm
    from reflow.api.linalg.solve import eig as eig
    from reflow.api.linalg.solve import eigvals as eigvals
    from reflow.api.linalg.solve import sqrtm as matrix_square_root
    from reflow.api.math.special import atan2 as atan2
    from reflow.api.math.statistics import approx_top_k as approx_top_k
    from reflow.api.math.statistics import extract_volume_patches as extract_volume_patches
    from reflow.api.math.statistics import histogram_fixed_width as histogram_fixed_width
    from reflow.api.math.statistics import histogram_fixed_width_bins as histogram_fixed_width_bins
    from reflow.api.math.statistics import ragged_fill_empty_rows as ragged_fill_empty_rows
    from reflow.api.math.statistics import ragged_fill_empty_rows_grad as ragged_fill_empty_rows_grad
    from reflow.api.math.statistics import timestamp as timestamp
    from reflow.api.nn.backprop import conv2d_backprop_filter_v2 as conv2d_backprop_filter_v2
    from reflow.api.nn.backprop import conv2d_backprop_input_v2 as conv2d_backprop_input_v2
    from reflow.api.nn.conv import conv as conv
    from reflow.api.random.index_shuffle import random_index_shuffle as random_index_shuffle
    from reflow.api.raw_ops import raw_ops as raw_ops
    from reflow.api.signal.fft import fftnd as fftnd
    from reflow.api.signal.fft import ifftnd as ifftnd
    from reflow.api.signal.fft import irfftnd as irfftnd
    from reflow.api.signal.fft import rfftnd as rfftnd
    from reflow.api.strings.elementwise import as_string as as_string
    from reflow.api.strings.elementwise import fingerprint as fingerprint
    from reflow.data.optional import OptionalSpec as OptionalSpec
    from reflow.eager.module import Module as Module
    from reflow.queues.batch_functions import nondifferentiable_batch_function as nondifferentiable_batch_function
    from reflow.api.gradients import no_gradient as NoGradient

double = float64
half = float16

__getattr__ = later(__name__)

__all__ = [
    "AggregationMethod", "Assert", "CriticalSection", "DType", "DeviceSpec", "GradientTape", "Graph", "IndexedSlices",
    "IndexedSlicesSpec", "Module", "NoGradient", "NoneTensorSpec", "Operation", "OptionalSpec", "RaggedTensor",
    "RaggedTensorSpec", "RegisterGradient", "SparseTensor", "SparseTensorSpec", "Tensor", "TensorArray",
    "TensorArraySpec", "TensorShape", "TensorSpec", "TypeSpec", "UnconnectedGradients", "Variable",
    "VariableAggregation", "VariableSynchronization", "abs", "acos", "acosh", "add", "add_n", "approx_top_k", "argmax",
    "argmin", "argsort", "as_dtype", "as_string", "asin", "asinh", "assert_equal", "assert_greater", "assert_less",
    "assert_rank", "atan", "atan2", "atanh", "batch_to_space", "bfloat16", "bitcast", "bool", "boolean_mask",
    "broadcast_dynamic_shape", "broadcast_static_shape", "broadcast_to", "case", "cast", "check_pinned",
    "clip_by_global_norm", "clip_by_norm", "clip_by_value", "complex", "complex128", "complex64", "concat", "cond",
    "constant", "constant_initializer", "control_dependencies", "conv", "conv2d_backprop_filter_v2",
    "conv2d_backprop_input_v2", "convert_to_tensor", "cos", "cosh", "cumsum", "custom_gradient", "device", "divide",
    "double", "draw", "dynamic_partition", "dynamic_stitch", "edit_distance", "eig", "eigvals", "einsum",
    "ensure_shape", "equal", "executing_eagerly", "exp", "expand_dims", "explain", "extract_volume_patches", "eye",
    "fftnd", "fill", "fingerprint", "float16", "float32", "float64", "floor", "foldl", "foldr", "from_jax", "function",
    "gather", "gather_nd", "get_current_name_scope", "get_logger", "get_static_value", "grad_pass_through", "gradients",
    "greater", "greater_equal", "group", "guarantee_const", "half", "hessians", "histogram_fixed_width",
    "histogram_fixed_width_bins", "identity", "identity_n", "ifftnd", "import_graph_def", "init_scope",
    "inside_function", "int16", "int32", "int64", "int8", "irfftnd", "is_numeric_tensor", "is_symbolic_tensor",
    "is_tensor", "less", "less_equal", "linspace", "load_library", "load_op_library", "logical_and", "logical_not",
    "logical_or", "make_ndarray", "make_tensor_proto", "map_fn", "matmul", "matrix_square_root", "maximum", "meshgrid",
    "minimum", "multiply", "name_scope", "negative", "newaxis", "no_gradient", "no_op",
    "nondifferentiable_batch_function", "norm", "not_equal", "numpy_function", "one_hot", "ones", "ones_initializer",
    "ones_like", "pad", "parallel_stack", "pow", "print", "py_function", "qint16", "qint32", "qint8", "quint16",
    "quint8", "ragged_fill_empty_rows", "ragged_fill_empty_rows_grad", "random_index_shuffle",
    "random_normal_initializer", "random_uniform_initializer", "range", "rank", "raw_ops", "realdiv", "recompute_grad",
    "reduce_all", "reduce_any", "reduce_logsumexp", "reduce_max", "reduce_mean", "reduce_min", "reduce_prod",
    "reduce_sum", "register_tensor_conversion_function", "repeat", "required_space_to_batch_paddings", "reshape",
    "resource", "reverse", "reverse_sequence", "rfftnd", "roll", "round", "saturate_cast", "scalar_mul", "scan",
    "scatter_nd", "searchsorted", "sequence_mask", "shape", "shape_n", "sigmoid", "sign", "sin", "sinh", "size",
    "slice", "sort", "space_to_batch", "space_to_batch_nd", "split", "sqrt", "square", "squeeze", "stack",
    "stop_gradient", "strided_slice", "string", "subtract", "switch_case", "tan", "tanh", "tensor_scatter_nd_add",
    "tensor_scatter_nd_max", "tensor_scatter_nd_min", "tensor_scatter_nd_sub", "tensor_scatter_nd_update", "tensordot",
    "tile", "timestamp", "to_jax", "transpose", "truediv", "truncatediv", "truncatemod", "tuple",
    "type_spec_from_value", "uint16", "uint32", "uint64", "uint8", "unique", "unique_with_counts", "unravel_index",
    "unstack", "variable_creator_scope", "variant", "vectorized_map", "where", "while_loop", "zeros",
    "zeros_initializer", "zeros_like",
]
