# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""`tf.compat.v1`: TensorFlow 1."""

from reflow.api.array.arrange import bitcast as bitcast
from reflow.api.array.arrange import broadcast_to as broadcast_to
from reflow.api.array.arrange import concat as concat
from reflow.api.array.arrange import invert_permutation as invert_permutation
from reflow.api.array.arrange import parallel_stack as parallel_stack
from reflow.api.array.arrange import reshape as reshape
from reflow.api.array.arrange import reverse as reverse
from reflow.api.array.arrange import roll as roll
from reflow.api.array.arrange import split as split
from reflow.api.array.arrange import stack as stack
from reflow.api.array.arrange import tile as tile
from reflow.api.array.arrange import unstack as unstack
from reflow.api.array.basics import broadcast_dynamic_shape as broadcast_dynamic_shape
from reflow.api.array.basics import broadcast_static_shape as broadcast_static_shape
from reflow.api.array.basics import ensure_shape as ensure_shape
from reflow.api.array.basics import get_static_value as get_static_value
from reflow.api.array.basics import guarantee_const as guarantee_const
from reflow.api.array.basics import identity as identity
from reflow.api.array.basics import identity_n as identity_n
from reflow.api.array.basics import is_symbolic_tensor as is_symbolic_tensor
from reflow.api.array.basics import is_tensor as is_tensor
from reflow.api.array.basics import rank as rank
from reflow.api.array.basics import shape_n as shape_n
from reflow.api.array.basics import stop_gradient as stop_gradient
from reflow.api.array.blocks import batch_to_space as batch_to_space_nd
from reflow.api.array.blocks import dynamic_partition as dynamic_partition
from reflow.api.array.blocks import dynamic_stitch as dynamic_stitch
from reflow.api.array.blocks import edit_distance as edit_distance
from reflow.api.array.blocks import required_space_to_batch_paddings as required_space_to_batch_paddings
from reflow.api.array.blocks import space_to_batch_nd as space_to_batch_nd
from reflow.api.array.blocks import unravel_index as unravel_index
from reflow.api.array.creation import eye as eye
from reflow.api.array.creation import fill as fill
from reflow.api.array.creation import linspace as linspace
from reflow.api.array.creation import meshgrid as meshgrid
from reflow.api.array.creation import one_hot as one_hot
from reflow.api.array.creation import ones as ones
from reflow.api.array.creation import range as range
from reflow.api.array.creation import repeat as repeat
from reflow.api.array.creation import sequence_mask as sequence_mask
from reflow.api.array.creation import zeros as zeros
from reflow.api.array.indexing import batch_gather as batch_gather
from reflow.api.array.indexing import newaxis as newaxis
from reflow.api.array.indexing import scatter_nd as scatter_nd
from reflow.api.array.indexing import slice as slice
from reflow.api.array.indexing import strided_slice as strided_slice
from reflow.api.array.indexing import tensor_scatter_nd_add as tensor_scatter_nd_add
from reflow.api.array.indexing import tensor_scatter_nd_max as tensor_scatter_nd_max
from reflow.api.array.indexing import tensor_scatter_nd_min as tensor_scatter_nd_min
from reflow.api.array.indexing import tensor_scatter_nd_sub as tensor_scatter_nd_sub
from reflow.api.array.indexing import tensor_scatter_nd_update as tensor_scatter_nd_update
from reflow.api.array.sorting import argsort as argsort
from reflow.api.array.sorting import searchsorted as searchsorted
from reflow.api.array.sorting import sort as sort
from reflow.api.array.sorting import unique as unique
from reflow.api.array.sorting import unique_with_counts as unique_with_counts
from reflow.api.control.branches import switch_case as switch_case
from reflow.api.control.critical_section import AggregationMethod as AggregationMethod
from reflow.api.control.critical_section import CriticalSection as CriticalSection
from reflow.api.control.critical_section import load_library as load_library
from reflow.api.control.critical_section import load_op_library as load_op_library
from reflow.api.control.printing import Assert as Assert
from reflow.api.control.printing import group as group
from reflow.api.control.printing import no_op as no_op
from reflow.api.control.printing import print_ as print
from reflow.api.control.py_functions import numpy_function as numpy_function
from reflow.api.control.py_functions import py_function as py_function
from reflow.api.control.tensor_array import TensorArray as TensorArray
from reflow.api.control.tensor_array import TensorArraySpec as TensorArraySpec
from reflow.api.control.vectorized import vectorized_map as vectorized_map
from reflow.api.debugging.asserts import check_numerics as check_numerics
from reflow.api.debugging.check_numerics import check_pinned as check_pinned
from reflow.api.debugging.types import assert_proper_iterable as assert_proper_iterable
from reflow.api.debugging.types import assert_same_float_dtype as assert_same_float_dtype
from reflow.api.debugging.types import is_numeric_tensor as is_numeric_tensor
from reflow.api.framework.core_names import QUANTIZED_DTYPES as QUANTIZED_DTYPES
from reflow.api.framework.core_names import control_dependencies as control_dependencies
from reflow.api.framework.core_names import placeholder as placeholder
from reflow.api.framework.graph_names import import_graph_def as import_graph_def
from reflow.api.framework.graph_names import make_ndarray as make_ndarray
from reflow.api.framework.graph_names import make_tensor_proto as make_tensor_proto
from reflow.api.framework.small_namespaces import CXX11_ABI_FLAG as CXX11_ABI_FLAG
from reflow.api.framework.small_namespaces import CXX_VERSION as CXX_VERSION
from reflow.api.framework.small_namespaces import MONOLITHIC_BUILD as MONOLITHIC_BUILD
from reflow.api.framework.small_namespaces import dimension_at_index as dimension_at_index
from reflow.api.framework.small_namespaces import dimension_value as dimension_value
from reflow.api.framework.small_namespaces import (
    executing_eagerly_outside_functions as executing_eagerly_outside_functions,
)
from reflow.api.framework.version import COMPILER_VERSION as COMPILER_VERSION
from reflow.api.framework.version import GIT_VERSION as GIT_VERSION
from reflow.api.framework.version import GRAPH_DEF_VERSION as GRAPH_DEF_VERSION
from reflow.api.framework.version import GRAPH_DEF_VERSION_MIN_CONSUMER as GRAPH_DEF_VERSION_MIN_CONSUMER
from reflow.api.framework.version import GRAPH_DEF_VERSION_MIN_PRODUCER as GRAPH_DEF_VERSION_MIN_PRODUCER
from reflow.api.framework.version import VERSION as VERSION
from reflow.api.framework.version import __version__ as __version__
from reflow.api.gradients import RegisterGradient as RegisterGradient
from reflow.api.gradients import custom_gradient as custom_gradient
from reflow.api.gradients import grad_pass_through as grad_pass_through
from reflow.api.gradients import no_gradient as no_gradient
from reflow.api.gradients import recompute_grad as recompute_grad
from reflow.api.image.geometry import random_crop as random_crop
from reflow.api.linalg.diag import band_part as matrix_band_part
from reflow.api.linalg.diag import diag as matrix_diag
from reflow.api.linalg.diag import diag_part as matrix_diag_part
from reflow.api.linalg.diag import matrix_transpose as matrix_transpose
from reflow.api.linalg.diag import set_diag as matrix_set_diag
from reflow.api.linalg.diag import tensor_diag as diag
from reflow.api.linalg.diag import tensor_diag_part as diag_part
from reflow.api.linalg.diag import trace as trace
from reflow.api.linalg.products import cross as cross
from reflow.api.linalg.products import einsum as einsum
from reflow.api.linalg.products import matmul as matmul
from reflow.api.linalg.products import tensordot as tensordot
from reflow.api.linalg.solve import cholesky as cholesky
from reflow.api.linalg.solve import cholesky_solve as cholesky_solve
from reflow.api.linalg.solve import det as matrix_determinant
from reflow.api.linalg.solve import eigh as self_adjoint_eig
from reflow.api.linalg.solve import eigvalsh as self_adjoint_eigvals
from reflow.api.linalg.solve import lstsq as matrix_solve_ls
from reflow.api.linalg.solve import qr as qr
from reflow.api.linalg.solve import solve as matrix_solve
from reflow.api.linalg.solve import sqrtm as matrix_square_root
from reflow.api.linalg.solve import svd as svd
from reflow.api.linalg.solve import triangular_solve as matrix_triangular_solve
from reflow.api.math.arithmetic import accumulate_n as accumulate_n
from reflow.api.math.arithmetic import add as add
from reflow.api.math.arithmetic import add_n as add_n
from reflow.api.math.arithmetic import cast as cast
from reflow.api.math.arithmetic import divide as divide
from reflow.api.math.arithmetic import floordiv as floordiv
from reflow.api.math.arithmetic import floormod as floormod
from reflow.api.math.arithmetic import maximum as maximum
from reflow.api.math.arithmetic import minimum as minimum
from reflow.api.math.arithmetic import multiply as multiply
from reflow.api.math.arithmetic import pow as pow
from reflow.api.math.arithmetic import realdiv as realdiv
from reflow.api.math.arithmetic import saturate_cast as saturate_cast
from reflow.api.math.arithmetic import scalar_mul as scalar_mul
from reflow.api.math.arithmetic import squared_difference as squared_difference
from reflow.api.math.arithmetic import subtract as subtract
from reflow.api.math.arithmetic import truediv as truediv
from reflow.api.math.arithmetic import truncatediv as truncatediv
from reflow.api.math.arithmetic import truncatemod as truncatemod
from reflow.api.math.arithmetic import where as where_v2
from reflow.api.math.clip import clip_by_global_norm as clip_by_global_norm
from reflow.api.math.clip import clip_by_norm as clip_by_norm
from reflow.api.math.clip import clip_by_value as clip_by_value
from reflow.api.math.clip import global_norm as global_norm
from reflow.api.math.logic import equal as equal
from reflow.api.math.logic import greater as greater
from reflow.api.math.logic import greater_equal as greater_equal
from reflow.api.math.logic import less as less
from reflow.api.math.logic import less_equal as less_equal
from reflow.api.math.logic import logical_and as logical_and
from reflow.api.math.logic import logical_or as logical_or
from reflow.api.math.logic import logical_xor as logical_xor
from reflow.api.math.logic import not_equal as not_equal
from reflow.api.math.reduce import cumprod as cumprod
from reflow.api.math.reduce import cumsum as cumsum
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
from reflow.api.math.special import betainc as betainc
from reflow.api.math.special import digamma as digamma
from reflow.api.math.special import erf as erf
from reflow.api.math.special import erfc as erfc
from reflow.api.math.special import igamma as igamma
from reflow.api.math.special import igammac as igammac
from reflow.api.math.special import is_non_decreasing as is_non_decreasing
from reflow.api.math.special import is_strictly_increasing as is_strictly_increasing
from reflow.api.math.special import lbeta as lbeta
from reflow.api.math.special import lgamma as lgamma
from reflow.api.math.special import log_sigmoid as log_sigmoid
from reflow.api.math.special import polygamma as polygamma
from reflow.api.math.special import polyval as polyval
from reflow.api.math.special import xdivy as xdivy
from reflow.api.math.special import zeta as zeta
from reflow.api.math.statistics import approx_top_k as approx_top_k
from reflow.api.math.statistics import extract_volume_patches as extract_volume_patches
from reflow.api.math.statistics import histogram_fixed_width as histogram_fixed_width
from reflow.api.math.statistics import histogram_fixed_width_bins as histogram_fixed_width_bins
from reflow.api.math.statistics import ragged_fill_empty_rows as ragged_fill_empty_rows
from reflow.api.math.statistics import ragged_fill_empty_rows_grad as ragged_fill_empty_rows_grad
from reflow.api.math.statistics import timestamp as timestamp
from reflow.api.math.unary import abs as abs
from reflow.api.math.unary import acos as acos
from reflow.api.math.unary import acosh as acosh
from reflow.api.math.unary import angle as angle
from reflow.api.math.unary import asin as asin
from reflow.api.math.unary import asinh as asinh
from reflow.api.math.unary import atan as atan
from reflow.api.math.unary import atanh as atanh
from reflow.api.math.unary import ceil as ceil
from reflow.api.math.unary import complex as complex
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
from reflow.api.nn.backprop import conv2d_backprop_filter_v2 as conv2d_backprop_filter_v2
from reflow.api.nn.backprop import conv2d_backprop_input_v2 as conv2d_backprop_input_v2
from reflow.api.quantization import dequantize as dequantize
from reflow.api.quantization import fake_quant_with_min_max_args as fake_quant_with_min_max_args
from reflow.api.quantization import fake_quant_with_min_max_args_gradient as fake_quant_with_min_max_args_gradient
from reflow.api.quantization import fake_quant_with_min_max_vars as fake_quant_with_min_max_vars
from reflow.api.quantization import fake_quant_with_min_max_vars_gradient as fake_quant_with_min_max_vars_gradient
from reflow.api.quantization import fake_quant_with_min_max_vars_per_channel as fake_quant_with_min_max_vars_per_channel
from reflow.api.quantization import (
    fake_quant_with_min_max_vars_per_channel_gradient as fake_quant_with_min_max_vars_per_channel_gradient,
)
from reflow.api.quantization import quantize as quantize
from reflow.api.quantization import quantized_concat as quantized_concat
from reflow.api.random.index_shuffle import random_index_shuffle as random_index_shuffle
from reflow.api.random.sampling import gamma as random_gamma
from reflow.api.random.sampling import normal as random_normal
from reflow.api.random.sampling import shuffle as random_shuffle
from reflow.api.random.sampling import truncated_normal as truncated_normal
from reflow.api.random.sampling import uniform as random_uniform
from reflow.api.raw_ops import raw_ops as raw_ops
from reflow.api.signal.fft import fft as fft
from reflow.api.signal.fft import fft2d as fft2d
from reflow.api.signal.fft import fft3d as fft3d
from reflow.api.signal.fft import ifft as ifft
from reflow.api.signal.fft import ifft2d as ifft2d
from reflow.api.signal.fft import ifft3d as ifft3d
from reflow.api.sparse.arithmetic import mask as sparse_mask
from reflow.api.sparse.arithmetic import maximum as sparse_maximum
from reflow.api.sparse.arithmetic import minimum as sparse_minimum
from reflow.api.sparse.arithmetic import softmax as sparse_softmax
from reflow.api.sparse.arithmetic import sparse_dense_matmul as sparse_tensor_dense_matmul
from reflow.api.sparse.tensors import fill_empty_rows as sparse_fill_empty_rows
from reflow.api.sparse.tensors import reorder as sparse_reorder
from reflow.api.sparse.tensors import reset_shape as sparse_reset_shape
from reflow.api.sparse.tensors import reshape as sparse_reshape
from reflow.api.sparse.tensors import retain as sparse_retain
from reflow.api.sparse.tensors import slice_ as sparse_slice
from reflow.api.sparse.tensors import sparse_placeholder as sparse_placeholder
from reflow.api.sparse.tensors import to_dense as sparse_tensor_to_dense
from reflow.api.sparse.tensors import to_indicator as sparse_to_indicator
from reflow.api.sparse.tensors import transpose as sparse_transpose
from reflow.api.strings.elementwise import as_string as as_string
from reflow.api.strings.elementwise import decode_base64 as decode_base64
from reflow.api.strings.elementwise import encode_base64 as encode_base64
from reflow.api.strings.elementwise import fingerprint as fingerprint
from reflow.api.strings.elementwise import regex_replace as regex_replace
from reflow.api.strings.elementwise import strip as string_strip
from reflow.api.strings.elementwise import to_hash_bucket_fast as string_to_hash_bucket_fast
from reflow.api.strings.elementwise import to_hash_bucket_strong as string_to_hash_bucket_strong
from reflow.api.strings.rows import join as string_join
from reflow.compat.asserts import assert_equal as assert_equal
from reflow.compat.asserts import assert_greater as assert_greater
from reflow.compat.asserts import assert_greater_equal as assert_greater_equal
from reflow.compat.asserts import assert_integer as assert_integer
from reflow.compat.asserts import assert_less as assert_less
from reflow.compat.asserts import assert_less_equal as assert_less_equal
from reflow.compat.asserts import assert_near as assert_near
from reflow.compat.asserts import assert_negative as assert_negative
from reflow.compat.asserts import assert_non_negative as assert_non_negative
from reflow.compat.asserts import assert_non_positive as assert_non_positive
from reflow.compat.asserts import assert_none_equal as assert_none_equal
from reflow.compat.asserts import assert_positive as assert_positive
from reflow.compat.asserts import assert_rank as assert_rank
from reflow.compat.asserts import assert_rank_at_least as assert_rank_at_least
from reflow.compat.asserts import assert_rank_in as assert_rank_in
from reflow.compat.asserts import assert_scalar as assert_scalar
from reflow.compat.asserts import assert_type as assert_type
from reflow.compat.behavior import GraphKeys as GraphKeys
from reflow.compat.behavior import add_to_collection as add_to_collection
from reflow.compat.behavior import add_to_collections as add_to_collections
from reflow.compat.behavior import colocate_with as colocate_with
from reflow.compat.behavior import control_flow_v2_enabled as control_flow_v2_enabled
from reflow.compat.behavior import device as device
from reflow.compat.behavior import disable_control_flow_v2 as disable_control_flow_v2
from reflow.compat.behavior import disable_eager_execution as disable_eager_execution
from reflow.compat.behavior import disable_resource_variables as disable_resource_variables
from reflow.compat.behavior import disable_v2_behavior as disable_v2_behavior
from reflow.compat.behavior import enable_control_flow_v2 as enable_control_flow_v2
from reflow.compat.behavior import enable_eager_execution as enable_eager_execution
from reflow.compat.behavior import enable_resource_variables as enable_resource_variables
from reflow.compat.behavior import enable_v2_behavior as enable_v2_behavior
from reflow.compat.behavior import get_collection as get_collection
from reflow.compat.behavior import get_collection_ref as get_collection_ref
from reflow.compat.behavior import get_default_graph as get_default_graph
from reflow.compat.behavior import reset_default_graph as reset_default_graph
from reflow.compat.behavior import resource_variables_enabled as resource_variables_enabled
from reflow.compat.functions import Print as Print
from reflow.compat.functions import arg_max as arg_max
from reflow.compat.functions import arg_min as arg_min
from reflow.compat.functions import argmax as argmax
from reflow.compat.functions import argmin as argmin
from reflow.compat.functions import batch_to_space as batch_to_space
from reflow.compat.functions import clip_by_average_norm as clip_by_average_norm
from reflow.compat.functions import cond as cond
from reflow.compat.functions import constant as constant
from reflow.compat.functions import div as div
from reflow.compat.functions import expand_dims as expand_dims
from reflow.compat.functions import floor_div as floor_div
from reflow.compat.functions import gradients as gradients
from reflow.compat.functions import placeholder_with_default as placeholder_with_default
from reflow.compat.functions import reduce_all as reduce_all
from reflow.compat.functions import reduce_any as reduce_any
from reflow.compat.functions import reduce_logsumexp as reduce_logsumexp
from reflow.compat.functions import reduce_max as reduce_max
from reflow.compat.functions import reduce_mean as reduce_mean
from reflow.compat.functions import reduce_min as reduce_min
from reflow.compat.functions import reduce_prod as reduce_prod
from reflow.compat.functions import reduce_sum as reduce_sum
from reflow.compat.functions import set_random_seed as set_random_seed
from reflow.compat.functions import setdiff1d as setdiff1d
from reflow.compat.functions import space_to_batch as space_to_batch
from reflow.compat.functions import squeeze as squeeze
from reflow.compat.functions import string_to_hash_bucket as string_to_hash_bucket
from reflow.compat.functions import string_to_number as string_to_number
from reflow.compat.functions import to_bfloat16 as to_bfloat16
from reflow.compat.functions import to_complex128 as to_complex128
from reflow.compat.functions import to_complex64 as to_complex64
from reflow.compat.functions import to_double as to_double
from reflow.compat.functions import to_float as to_float
from reflow.compat.functions import to_int32 as to_int32
from reflow.compat.functions import to_int64 as to_int64
from reflow.compat.functions import where as where
from reflow.compat.graph_variables import VariableV1 as Variable
from reflow.compat.graph_variables import all_variables as all_variables
from reflow.compat.graph_variables import assign as assign
from reflow.compat.graph_variables import assign_add as assign_add
from reflow.compat.graph_variables import assign_sub as assign_sub
from reflow.compat.graph_variables import global_variables as global_variables
from reflow.compat.graph_variables import global_variables_initializer as global_variables_initializer
from reflow.compat.graph_variables import is_variable_initialized as is_variable_initialized
from reflow.compat.graph_variables import local_variables as local_variables
from reflow.compat.graph_variables import local_variables_initializer as local_variables_initializer
from reflow.compat.graph_variables import model_variables as model_variables
from reflow.compat.graph_variables import moving_average_variables as moving_average_variables
from reflow.compat.graph_variables import report_uninitialized_variables as report_uninitialized_variables
from reflow.compat.graph_variables import tables_initializer as tables_initializer
from reflow.compat.graph_variables import trainable_variables as trainable_variables
from reflow.compat.graph_variables import variables_initializer as variables_initializer
from reflow.compat.images import extract_image_patches as extract_image_patches
from reflow.compat.initializers import Constant as constant_initializer
from reflow.compat.initializers import GlorotNormal as glorot_normal_initializer
from reflow.compat.initializers import GlorotUniform as glorot_uniform_initializer
from reflow.compat.initializers import Ones as ones_initializer
from reflow.compat.initializers import Orthogonal as orthogonal_initializer
from reflow.compat.initializers import RandomNormal as random_normal_initializer
from reflow.compat.initializers import RandomUniform as random_uniform_initializer
from reflow.compat.initializers import TruncatedNormal as truncated_normal_initializer
from reflow.compat.initializers import UniformUnitScaling as uniform_unit_scaling_initializer
from reflow.compat.initializers import VarianceScaling as variance_scaling_initializer
from reflow.compat.initializers import Zeros as zeros_initializer
from reflow.compat.name_scopes import name_scope as name_scope
from reflow.compat.name_scopes import op_scope as op_scope
from reflow.compat.older_names import DeviceSpecV1 as DeviceSpec
from reflow.compat.older_names import add_check_numerics_ops as add_check_numerics_ops
from reflow.compat.older_names import assert_variables_initialized as assert_variables_initialized
from reflow.compat.older_names import batch_scatter_update as batch_scatter_update
from reflow.compat.older_names import container as container
from reflow.compat.older_names import convert_to_tensor_or_indexed_slices as convert_to_tensor_or_indexed_slices
from reflow.compat.older_names import convert_to_tensor_or_sparse_tensor as convert_to_tensor_or_sparse_tensor
from reflow.compat.older_names import count_up_to as count_up_to
from reflow.compat.older_names import hessians as hessians
from reflow.compat.older_names import quantize_v2 as quantize_v2
from reflow.compat.older_names import random_poisson as random_poisson
from reflow.compat.older_names import sparse_matmul as sparse_matmul
from reflow.compat.op_functions import conv as conv
from reflow.compat.op_functions import fftnd as fftnd
from reflow.compat.op_functions import ifftnd as ifftnd
from reflow.compat.op_functions import irfftnd as irfftnd
from reflow.compat.op_functions import rfftnd as rfftnd
from reflow.compat.partitions.partitioners import create_partitioned_variables as create_partitioned_variables
from reflow.compat.partitions.partitioners import fixed_size_partitioner as fixed_size_partitioner
from reflow.compat.partitions.partitioners import min_max_variable_partitioner as min_max_variable_partitioner
from reflow.compat.partitions.partitioners import variable_axis_size_partitioner as variable_axis_size_partitioner
from reflow.compat.program.app import flags as flags
from reflow.compat.protos import ConfigProto as ConfigProto
from reflow.compat.protos import Event as Event
from reflow.compat.protos import GPUOptions as GPUOptions
from reflow.compat.protos import GraphDef as GraphDef
from reflow.compat.protos import GraphOptions as GraphOptions
from reflow.compat.protos import HistogramProto as HistogramProto
from reflow.compat.protos import LogMessage as LogMessage
from reflow.compat.protos import NameAttrList as NameAttrList
from reflow.compat.protos import NodeDef as NodeDef
from reflow.compat.protos import OptimizerOptions as OptimizerOptions
from reflow.compat.protos import RunMetadata as RunMetadata
from reflow.compat.protos import RunOptions as RunOptions
from reflow.compat.protos import SessionLog as SessionLog
from reflow.compat.protos import Summary as Summary
from reflow.compat.protos import SummaryMetadata as SummaryMetadata
from reflow.compat.protos import TensorInfo as TensorInfo
from reflow.compat.reordered import bincount as bincount
from reflow.compat.reordered import boolean_mask as boolean_mask
from reflow.compat.reordered import case as case
from reflow.compat.reordered import confusion_matrix as confusion_matrix
from reflow.compat.reordered import convert_to_tensor as convert_to_tensor
from reflow.compat.reordered import count_nonzero as count_nonzero
from reflow.compat.reordered import decode_csv as decode_csv
from reflow.compat.reordered import decode_raw as decode_raw
from reflow.compat.reordered import depth_to_space as depth_to_space
from reflow.compat.reordered import div_no_nan as div_no_nan
from reflow.compat.reordered import foldl as foldl
from reflow.compat.reordered import foldr as foldr
from reflow.compat.reordered import gather as gather
from reflow.compat.reordered import gather_nd as gather_nd
from reflow.compat.reordered import map_fn as map_fn
from reflow.compat.reordered import matrix_inverse as matrix_inverse
from reflow.compat.reordered import multinomial as multinomial
from reflow.compat.reordered import norm as norm
from reflow.compat.reordered import ones_like as ones_like
from reflow.compat.reordered import pad as pad
from reflow.compat.reordered import parse_example as parse_example
from reflow.compat.reordered import parse_single_example as parse_single_example
from reflow.compat.reordered import reduce_join as reduce_join
from reflow.compat.reordered import reverse_sequence as reverse_sequence
from reflow.compat.reordered import scan as scan
from reflow.compat.reordered import serialize_many_sparse as serialize_many_sparse
from reflow.compat.reordered import serialize_sparse as serialize_sparse
from reflow.compat.reordered import shape as shape
from reflow.compat.reordered import size as size
from reflow.compat.reordered import space_to_depth as space_to_depth
from reflow.compat.reordered import sparse_add as sparse_add
from reflow.compat.reordered import sparse_concat as sparse_concat
from reflow.compat.reordered import sparse_segment_mean as sparse_segment_mean
from reflow.compat.reordered import sparse_segment_sqrt_n as sparse_segment_sqrt_n
from reflow.compat.reordered import sparse_segment_sum as sparse_segment_sum
from reflow.compat.reordered import substr as substr
from reflow.compat.reordered import transpose as transpose
from reflow.compat.reordered import tuple_ as tuple
from reflow.compat.reordered import verify_tensor_all_finite as verify_tensor_all_finite
from reflow.compat.reordered import while_loop as while_loop
from reflow.compat.reordered import zeros_like as zeros_like
from reflow.compat.rows_of_strings import sparse_merge as sparse_merge
from reflow.compat.rows_of_strings import string_split as string_split
from reflow.compat.scatter import scatter_add as scatter_add
from reflow.compat.scatter import scatter_div as scatter_div
from reflow.compat.scatter import scatter_max as scatter_max
from reflow.compat.scatter import scatter_min as scatter_min
from reflow.compat.scatter import scatter_mul as scatter_mul
from reflow.compat.scatter import scatter_nd_add as scatter_nd_add
from reflow.compat.scatter import scatter_nd_sub as scatter_nd_sub
from reflow.compat.scatter import scatter_nd_update as scatter_nd_update
from reflow.compat.scatter import scatter_sub as scatter_sub
from reflow.compat.scatter import scatter_update as scatter_update
from reflow.compat.session import InteractiveSession as InteractiveSession
from reflow.compat.session import Session as Session
from reflow.compat.session import get_default_session as get_default_session
from reflow.compat.sessions.handles import delete_session_tensor as delete_session_tensor
from reflow.compat.sessions.handles import get_session_handle as get_session_handle
from reflow.compat.sessions.handles import get_session_tensor as get_session_tensor
from reflow.compat.sparse import reduce_max as sparse_reduce_max
from reflow.compat.sparse import reduce_max_sparse as sparse_reduce_max_sparse
from reflow.compat.sparse import reduce_sum as sparse_reduce_sum
from reflow.compat.sparse import reduce_sum_sparse as sparse_reduce_sum_sparse
from reflow.compat.sparse import sparse_split as sparse_split
from reflow.compat.sparse import sparse_to_dense as sparse_to_dense
from reflow.compat.switches.equality import disable_tensor_equality as disable_tensor_equality
from reflow.compat.switches.equality import enable_tensor_equality as enable_tensor_equality
from reflow.compat.switches.tensor_shapes import disable_v2_tensorshape as disable_v2_tensorshape
from reflow.compat.switches.tensor_shapes import enable_v2_tensorshape as enable_v2_tensorshape
from reflow.compat.variable_scopes import AUTO_REUSE as AUTO_REUSE
from reflow.compat.variable_scopes import VariableScope as VariableScope
from reflow.compat.variable_scopes import get_local_variable as get_local_variable
from reflow.compat.variable_scopes import get_variable as get_variable
from reflow.compat.variable_scopes import get_variable_scope as get_variable_scope
from reflow.compat.variable_scopes import make_template as make_template
from reflow.compat.variable_scopes import no_regularizer as no_regularizer
from reflow.compat.variable_scopes import variable_op_scope as variable_op_scope
from reflow.compat.variable_scopes import variable_scope as variable_scope
from reflow.compat.wrapped import wrap_function as wrap_function
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
from reflow.core.errors import OpError as OpError
from reflow.core.indexed_slices import IndexedSlices as IndexedSlices
from reflow.core.indexed_slices import IndexedSlicesSpec as IndexedSlicesSpec
from reflow.core.logging import get_logger as get_logger
from reflow.core.ragged import RaggedTensor as RaggedTensor
from reflow.core.ragged import RaggedTensorSpec as RaggedTensorSpec
from reflow.core.shapes import Dimension as Dimension
from reflow.core.shapes import TensorShape as TensorShape
from reflow.core.sparse import SparseTensor as SparseTensor
from reflow.core.sparse import SparseTensorSpec as SparseTensorSpec
from reflow.core.sparse import SparseTensorValue as SparseTensorValue
from reflow.core.specs import NoneTensorSpec as NoneTensorSpec
from reflow.core.specs import TensorSpec as TensorSpec
from reflow.core.specs import TypeSpec as TypeSpec
from reflow.core.specs import type_spec_from_value as type_spec_from_value
from reflow.core.tensor import Tensor as Tensor
from reflow.data.optional import OptionalSpec as OptionalSpec
from reflow.eager.module import Module as Module
from reflow.eager.tape import GradientTape as GradientTape
from reflow.eager.tape import UnconnectedGradients as UnconnectedGradients
from reflow.eager.variable_enums import VariableAggregation as VariableAggregation
from reflow.eager.variable_enums import VariableSynchronization as VariableSynchronization
from reflow.eager.variables import variable_creator_scope as variable_creator_scope
from reflow.function.function import function as function
from reflow.graph.graph import Graph as Graph
from reflow.graph.node import Node as Operation
from reflow.graph.proto_values import AttrValue as AttrValue
from reflow.io.feature_kinds import FixedLenFeature as FixedLenFeature
from reflow.io.feature_kinds import FixedLenSequenceFeature as FixedLenSequenceFeature
from reflow.io.feature_kinds import SparseFeature as SparseFeature
from reflow.io.feature_kinds import VarLenFeature as VarLenFeature
from reflow.io.files import decode_compressed as decode_compressed
from reflow.io.files import decode_json_example as decode_json_example
from reflow.io.files import matching_files as matching_files
from reflow.io.files import read_file as read_file
from reflow.io.files import write_file as write_file
from reflow.io.sequences import parse_single_sequence_example as parse_single_sequence_example
from reflow.io.serialized import deserialize_many_sparse as deserialize_many_sparse
from reflow.io.serialized import parse_tensor as parse_tensor
from reflow.io.serialized import serialize_tensor as serialize_tensor
from reflow.ops.convert import register_tensor_conversion_function as register_tensor_conversion_function
from reflow.ops.random_state import get_seed as get_seed
from reflow.public.compat.v1 import __internal__ as __internal__
from reflow.public.compat.v1 import app as app
from reflow.public.compat.v1 import audio as audio
from reflow.public.compat.v1 import autograph as autograph
from reflow.public.compat.v1 import bitwise as bitwise
from reflow.public.compat.v1 import compat as compat
from reflow.public.compat.v1 import config as config
from reflow.public.compat.v1 import data as data
from reflow.public.compat.v1 import debugging as debugging
from reflow.public.compat.v1 import distribute as distribute
from reflow.public.compat.v1 import distributions as distributions
from reflow.public.compat.v1 import dtypes as dtypes
from reflow.public.compat.v1 import errors as errors
from reflow.public.compat.v1 import estimator as estimator
from reflow.public.compat.v1 import experimental as experimental
from reflow.public.compat.v1 import feature_column as feature_column
from reflow.public.compat.v1 import gfile as gfile
from reflow.public.compat.v1 import graph_util as graph_util
from reflow.public.compat.v1 import image as image
from reflow.public.compat.v1 import initializers as initializers
from reflow.public.compat.v1 import io as io
from reflow.public.compat.v1 import layers as layers
from reflow.public.compat.v1 import linalg as linalg
from reflow.public.compat.v1 import lite as lite
from reflow.public.compat.v1 import logging as logging
from reflow.public.compat.v1 import lookup as lookup
from reflow.public.compat.v1 import losses as losses
from reflow.public.compat.v1 import manip as manip
from reflow.public.compat.v1 import math as math
from reflow.public.compat.v1 import metrics as metrics
from reflow.public.compat.v1 import mixed_precision as mixed_precision
from reflow.public.compat.v1 import nest as nest
from reflow.public.compat.v1 import nn as nn
from reflow.public.compat.v1 import python_io as python_io
from reflow.public.compat.v1 import quantization as quantization
from reflow.public.compat.v1 import queue as queue
from reflow.public.compat.v1 import ragged as ragged
from reflow.public.compat.v1 import random as random
from reflow.public.compat.v1 import resource_loader as resource_loader
from reflow.public.compat.v1 import saved_model as saved_model
from reflow.public.compat.v1 import sets as sets
from reflow.public.compat.v1 import signal as signal
from reflow.public.compat.v1 import sparse as sparse
from reflow.public.compat.v1 import spectral as spectral
from reflow.public.compat.v1 import strings as strings
from reflow.public.compat.v1 import summary as summary
from reflow.public.compat.v1 import sysconfig as sysconfig
from reflow.public.compat.v1 import test as test
from reflow.public.compat.v1 import tpu as tpu
from reflow.public.compat.v1 import train as train
from reflow.public.compat.v1 import types as types
from reflow.public.compat.v1 import user_ops as user_ops
from reflow.public.compat.v1 import version as version
from reflow.public.compat.v1 import xla as xla
from reflow.queues.batch_functions import nondifferentiable_batch_function as nondifferentiable_batch_function
from reflow.queues.gradients import ConditionalAccumulator as ConditionalAccumulator
from reflow.queues.gradients import ConditionalAccumulatorBase as ConditionalAccumulatorBase
from reflow.queues.gradients import SparseConditionalAccumulator as SparseConditionalAccumulator
from reflow.queues.public import FIFOQueue as FIFOQueue
from reflow.queues.public import PaddingFIFOQueue as PaddingFIFOQueue
from reflow.queues.public import PriorityQueue as PriorityQueue
from reflow.queues.public import QueueBase as QueueBase
from reflow.queues.public import RandomShuffleQueue as RandomShuffleQueue
from reflow.queues.reader_classes import FixedLengthRecordReader as FixedLengthRecordReader
from reflow.queues.reader_classes import IdentityReader as IdentityReader
from reflow.queues.reader_classes import ReaderBase as ReaderBase
from reflow.queues.reader_classes import TFRecordReader as TFRecordReader
from reflow.queues.reader_classes import TextLineReader as TextLineReader
from reflow.queues.reader_classes import WholeFileReader as WholeFileReader
from reflow.saved_model.saved_model_proto import MetaGraphDef as MetaGraphDef
import reflow.keras.version_one as keras

NoGradient = no_gradient
NotDifferentiable = no_gradient
double = float64
half = float16
initialize_all_tables = tables_initializer
initialize_all_variables = global_variables_initializer
initialize_local_variables = local_variables_initializer
initialize_variables = variables_initializer
lin_space = linspace
mod = floormod
py_func = numpy_function
reverse_v2 = reverse
tensor_scatter_add = tensor_scatter_nd_add
tensor_scatter_sub = tensor_scatter_nd_sub
tensor_scatter_update = tensor_scatter_nd_update

__all__ = [
    "AUTO_REUSE", "AggregationMethod", "Assert", "AttrValue", "COMPILER_VERSION", "CXX11_ABI_FLAG", "CXX_VERSION",
    "ConditionalAccumulator", "ConditionalAccumulatorBase", "ConfigProto", "CriticalSection", "DType", "DeviceSpec",
    "Dimension", "Event", "FIFOQueue", "FixedLenFeature", "FixedLenSequenceFeature", "FixedLengthRecordReader",
    "GIT_VERSION", "GPUOptions", "GRAPH_DEF_VERSION", "GRAPH_DEF_VERSION_MIN_CONSUMER",
    "GRAPH_DEF_VERSION_MIN_PRODUCER", "GradientTape", "Graph", "GraphDef", "GraphKeys", "GraphOptions",
    "HistogramProto", "IdentityReader", "IndexedSlices", "IndexedSlicesSpec", "InteractiveSession", "LogMessage",
    "MONOLITHIC_BUILD", "MetaGraphDef", "Module", "NameAttrList", "NoGradient", "NodeDef", "NoneTensorSpec",
    "NotDifferentiable", "OpError", "Operation", "OptimizerOptions", "OptionalSpec", "PaddingFIFOQueue", "Print",
    "PriorityQueue", "QUANTIZED_DTYPES", "QueueBase", "RaggedTensor", "RaggedTensorSpec", "RandomShuffleQueue",
    "ReaderBase", "RegisterGradient", "RunMetadata", "RunOptions", "Session", "SessionLog",
    "SparseConditionalAccumulator", "SparseFeature", "SparseTensor", "SparseTensorSpec", "SparseTensorValue", "Summary",
    "SummaryMetadata", "TFRecordReader", "Tensor", "TensorArray", "TensorArraySpec", "TensorInfo", "TensorShape",
    "TensorSpec", "TextLineReader", "TypeSpec", "UnconnectedGradients", "VERSION", "VarLenFeature", "Variable",
    "VariableAggregation", "VariableScope", "VariableSynchronization", "WholeFileReader", "__internal__", "__version__",
    "abs", "accumulate_n", "acos", "acosh", "add", "add_check_numerics_ops", "add_n", "add_to_collection",
    "add_to_collections", "all_variables", "angle", "app", "approx_top_k", "arg_max", "arg_min", "argmax", "argmin",
    "argsort", "as_dtype", "as_string", "asin", "asinh", "assert_equal", "assert_greater", "assert_greater_equal",
    "assert_integer", "assert_less", "assert_less_equal", "assert_near", "assert_negative", "assert_non_negative",
    "assert_non_positive", "assert_none_equal", "assert_positive", "assert_proper_iterable", "assert_rank",
    "assert_rank_at_least", "assert_rank_in", "assert_same_float_dtype", "assert_scalar", "assert_type",
    "assert_variables_initialized", "assign", "assign_add", "assign_sub", "atan", "atan2", "atanh", "audio",
    "autograph", "batch_gather", "batch_scatter_update", "batch_to_space", "batch_to_space_nd", "betainc", "bfloat16",
    "bincount", "bitcast", "bitwise", "bool", "boolean_mask", "broadcast_dynamic_shape", "broadcast_static_shape",
    "broadcast_to", "case", "cast", "ceil", "check_numerics", "check_pinned", "cholesky", "cholesky_solve",
    "clip_by_average_norm", "clip_by_global_norm", "clip_by_norm", "clip_by_value", "colocate_with", "compat",
    "complex", "complex128", "complex64", "concat", "cond", "config", "confusion_matrix", "conj", "constant",
    "constant_initializer", "container", "control_dependencies", "control_flow_v2_enabled", "conv",
    "conv2d_backprop_filter_v2", "conv2d_backprop_input_v2", "convert_to_tensor", "convert_to_tensor_or_indexed_slices",
    "convert_to_tensor_or_sparse_tensor", "cos", "cosh", "count_nonzero", "count_up_to", "create_partitioned_variables",
    "cross", "cumprod", "cumsum", "custom_gradient", "data", "debugging", "decode_base64", "decode_compressed",
    "decode_csv", "decode_json_example", "decode_raw", "delete_session_tensor", "depth_to_space", "dequantize",
    "deserialize_many_sparse", "device", "diag", "diag_part", "digamma", "dimension_at_index", "dimension_value",
    "disable_control_flow_v2", "disable_eager_execution", "disable_resource_variables", "disable_tensor_equality",
    "disable_v2_behavior", "disable_v2_tensorshape", "distribute", "distributions", "div", "div_no_nan", "divide",
    "double", "dtypes", "dynamic_partition", "dynamic_stitch", "edit_distance", "einsum", "enable_control_flow_v2",
    "enable_eager_execution", "enable_resource_variables", "enable_tensor_equality", "enable_v2_behavior",
    "enable_v2_tensorshape", "encode_base64", "ensure_shape", "equal", "erf", "erfc", "errors", "estimator",
    "executing_eagerly", "executing_eagerly_outside_functions", "exp", "expand_dims", "experimental", "expm1",
    "extract_image_patches", "extract_volume_patches", "eye", "fake_quant_with_min_max_args",
    "fake_quant_with_min_max_args_gradient", "fake_quant_with_min_max_vars", "fake_quant_with_min_max_vars_gradient",
    "fake_quant_with_min_max_vars_per_channel", "fake_quant_with_min_max_vars_per_channel_gradient", "feature_column",
    "fft", "fft2d", "fft3d", "fftnd", "fill", "fingerprint", "fixed_size_partitioner", "flags", "float16", "float32",
    "float64", "floor", "floor_div", "floordiv", "floormod", "foldl", "foldr", "function", "gather", "gather_nd",
    "get_collection", "get_collection_ref", "get_default_graph", "get_default_session", "get_local_variable",
    "get_logger", "get_seed", "get_session_handle", "get_session_tensor", "get_static_value", "get_variable",
    "get_variable_scope", "gfile", "global_norm", "global_variables", "global_variables_initializer",
    "glorot_normal_initializer", "glorot_uniform_initializer", "grad_pass_through", "gradients", "graph_util",
    "greater", "greater_equal", "group", "guarantee_const", "half", "hessians", "histogram_fixed_width",
    "histogram_fixed_width_bins", "identity", "identity_n", "ifft", "ifft2d", "ifft3d", "ifftnd", "igamma", "igammac",
    "imag", "image", "import_graph_def", "init_scope", "initialize_all_tables", "initialize_all_variables",
    "initialize_local_variables", "initialize_variables", "initializers", "int16", "int32", "int64", "int8",
    "invert_permutation", "io", "irfftnd", "is_finite", "is_inf", "is_nan", "is_non_decreasing", "is_numeric_tensor",
    "is_strictly_increasing", "is_symbolic_tensor", "is_tensor", "is_variable_initialized", "keras", "layers", "lbeta",
    "less", "less_equal", "lgamma", "lin_space", "linalg", "linspace", "lite", "load_library", "load_op_library",
    "local_variables", "local_variables_initializer", "log", "log1p", "log_sigmoid", "logging", "logical_and",
    "logical_not", "logical_or", "logical_xor", "lookup", "losses", "make_ndarray", "make_template",
    "make_tensor_proto", "manip", "map_fn", "matching_files", "math", "matmul", "matrix_band_part",
    "matrix_determinant", "matrix_diag", "matrix_diag_part", "matrix_inverse", "matrix_set_diag", "matrix_solve",
    "matrix_solve_ls", "matrix_square_root", "matrix_transpose", "matrix_triangular_solve", "maximum", "meshgrid",
    "metrics", "min_max_variable_partitioner", "minimum", "mixed_precision", "mod", "model_variables",
    "moving_average_variables", "multinomial", "multiply", "name_scope", "negative", "nest", "newaxis", "nn",
    "no_gradient", "no_op", "no_regularizer", "nondifferentiable_batch_function", "norm", "not_equal", "numpy_function",
    "one_hot", "ones", "ones_initializer", "ones_like", "op_scope", "orthogonal_initializer", "pad", "parallel_stack",
    "parse_example", "parse_single_example", "parse_single_sequence_example", "parse_tensor", "placeholder",
    "placeholder_with_default", "polygamma", "polyval", "pow", "print", "py_func", "py_function", "python_io", "qint16",
    "qint32", "qint8", "qr", "quantization", "quantize", "quantize_v2", "quantized_concat", "queue", "quint16",
    "quint8", "ragged", "ragged_fill_empty_rows", "ragged_fill_empty_rows_grad", "random", "random_crop",
    "random_gamma", "random_index_shuffle", "random_normal", "random_normal_initializer", "random_poisson",
    "random_shuffle", "random_uniform", "random_uniform_initializer", "range", "rank", "raw_ops", "read_file", "real",
    "realdiv", "reciprocal", "recompute_grad", "reduce_all", "reduce_any", "reduce_join", "reduce_logsumexp",
    "reduce_max", "reduce_mean", "reduce_min", "reduce_prod", "reduce_sum", "regex_replace",
    "register_tensor_conversion_function", "repeat", "report_uninitialized_variables",
    "required_space_to_batch_paddings", "reset_default_graph", "reshape", "resource", "resource_loader",
    "resource_variables_enabled", "reverse", "reverse_sequence", "reverse_v2", "rfftnd", "rint", "roll", "round",
    "rsqrt", "saturate_cast", "saved_model", "scalar_mul", "scan", "scatter_add", "scatter_div", "scatter_max",
    "scatter_min", "scatter_mul", "scatter_nd", "scatter_nd_add", "scatter_nd_sub", "scatter_nd_update", "scatter_sub",
    "scatter_update", "searchsorted", "segment_max", "segment_mean", "segment_min", "segment_prod", "segment_sum",
    "self_adjoint_eig", "self_adjoint_eigvals", "sequence_mask", "serialize_many_sparse", "serialize_sparse",
    "serialize_tensor", "set_random_seed", "setdiff1d", "sets", "shape", "shape_n", "sigmoid", "sign", "signal", "sin",
    "sinh", "size", "slice", "sort", "space_to_batch", "space_to_batch_nd", "space_to_depth", "sparse", "sparse_add",
    "sparse_concat", "sparse_fill_empty_rows", "sparse_mask", "sparse_matmul", "sparse_maximum", "sparse_merge",
    "sparse_minimum", "sparse_placeholder", "sparse_reduce_max", "sparse_reduce_max_sparse", "sparse_reduce_sum",
    "sparse_reduce_sum_sparse", "sparse_reorder", "sparse_reset_shape", "sparse_reshape", "sparse_retain",
    "sparse_segment_mean", "sparse_segment_sqrt_n", "sparse_segment_sum", "sparse_slice", "sparse_softmax",
    "sparse_split", "sparse_tensor_dense_matmul", "sparse_tensor_to_dense", "sparse_to_dense", "sparse_to_indicator",
    "sparse_transpose", "spectral", "split", "sqrt", "square", "squared_difference", "squeeze", "stack",
    "stop_gradient", "strided_slice", "string", "string_join", "string_split", "string_strip", "string_to_hash_bucket",
    "string_to_hash_bucket_fast", "string_to_hash_bucket_strong", "string_to_number", "strings", "substr", "subtract",
    "summary", "svd", "switch_case", "sysconfig", "tables_initializer", "tan", "tanh", "tensor_scatter_add",
    "tensor_scatter_nd_add", "tensor_scatter_nd_max", "tensor_scatter_nd_min", "tensor_scatter_nd_sub",
    "tensor_scatter_nd_update", "tensor_scatter_sub", "tensor_scatter_update", "tensordot", "test", "tile", "timestamp",
    "to_bfloat16", "to_complex128", "to_complex64", "to_double", "to_float", "to_int32", "to_int64", "tpu", "trace",
    "train", "trainable_variables", "transpose", "truediv", "truncated_normal", "truncated_normal_initializer",
    "truncatediv", "truncatemod", "tuple", "type_spec_from_value", "types", "uint16", "uint32", "uint64", "uint8",
    "uniform_unit_scaling_initializer", "unique", "unique_with_counts", "unravel_index", "unsorted_segment_max",
    "unsorted_segment_mean", "unsorted_segment_min", "unsorted_segment_prod", "unsorted_segment_sqrt_n",
    "unsorted_segment_sum", "unstack", "user_ops", "variable_axis_size_partitioner", "variable_creator_scope",
    "variable_op_scope", "variable_scope", "variables_initializer", "variance_scaling_initializer", "variant",
    "vectorized_map", "verify_tensor_all_finite", "version", "where", "where_v2", "while_loop", "wrap_function",
    "write_file", "xdivy", "xla", "zeros", "zeros_initializer", "zeros_like", "zeta",
]
