"""Functions of `tf.compat.v1` that mean the same as in TensorFlow 2 but take their arguments in another order."""

from __future__ import annotations

from reflow.api.array import arrange, blocks, creation, indexing
from reflow.api.control import branches, critical_section, functional
from reflow.api.debugging import asserts
from reflow.api.export import export_value
from reflow.api.linalg import norms, solve
from reflow.api.math import arithmetic, reduce, segment
from reflow.api.nn import activations, statistics
from reflow.api.random import sampling
from reflow.api.strings import elementwise, rows
from reflow.compat import behavior
from reflow.core import nest
from reflow.function import control_flow
from reflow.io import files, parsing, serialized
from reflow.ops import convert

#: (name in TensorFlow 2, older name) of arguments
_OLDER = (("input", "tensor"), ("axis", "dim"), ("keepdims", "keep_dims"), ("dtype_hint", "preferred_dtype"))


def _reordered(function, order: str, *names: str):
    """The function with its arguments in the given order, exported under names below `tf.compat.v1`."""
    arguments = order.split()

    def call(*args, **kwargs):
        kwargs.update(zip(arguments, args, strict=False))
        for new, old in _OLDER:
            if new in arguments and old in kwargs and old not in arguments[:1]:
                kwargs[new] = kwargs.pop(old)
        return function(**kwargs)

    call.__name__ = names[0].rpartition(".")[2]
    call.__doc__ = f"`{function.__name__}` of TensorFlow 2 with the arguments in the order of TensorFlow 1: {order}."
    return export_value(call, *(f"compat.v1.{name}" for name in names))


def _while_loop(body, return_same_structure=False, **arguments):
    """`tf.while_loop`. A single loop variable comes back bare unless `return_same_structure`. Version 1's loops return the structure that
    the body returned, version 2's that of the loop variables."""
    returned: list = []

    def watched(*values):
        returned[:] = [body(*values)]
        return returned[0]

    out = control_flow.while_loop(body=watched, **arguments)
    flat = nest.flatten(out)
    if len(flat) == 1 and not return_same_structure:
        return flat[0]
    if behavior.control_flow_v2_enabled() or not returned:
        return out
    made = returned[0] if isinstance(returned[0], (list, tuple, dict)) else [returned[0]]
    return nest.pack_sequence_as(made, flat)


_while_loop.__name__ = "while_loop"
while_loop = _reordered(
    _while_loop,
    "cond body loop_vars shape_invariants parallel_iterations back_prop swap_memory name maximum_iterations "
    "return_same_structure",
    "while_loop",
)
zeros_like = _reordered(creation.zeros_like, "input dtype name", "zeros_like")
ones_like = _reordered(creation.ones_like, "input dtype name", "ones_like")
shape = _reordered(arrange.shape, "input name out_type", "shape")
size = _reordered(arrange.size, "input name out_type", "size")
transpose = _reordered(arrange.transpose, "a perm name conjugate", "transpose")
gather = _reordered(indexing.gather, "params indices validate_indices name axis batch_dims", "gather")
gather_nd = _reordered(indexing.gather_nd, "params indices name batch_dims", "gather_nd")
pad = _reordered(arrange.pad, "tensor paddings mode name constant_values", "pad")
norm = _reordered(norms.norm, "tensor ord axis keepdims name", "norm")
boolean_mask = _reordered(indexing.boolean_mask, "tensor mask name axis", "boolean_mask")
map_fn = _reordered(
    functional.map_fn, "fn elems dtype parallel_iterations back_prop swap_memory infer_shape name", "map_fn"
)
scan = _reordered(
    functional.scan, "fn elems initializer parallel_iterations back_prop swap_memory infer_shape reverse name", "scan"
)
foldl = _reordered(functional.foldl, "fn elems initializer parallel_iterations back_prop swap_memory name", "foldl")
foldr = _reordered(functional.foldr, "fn elems initializer parallel_iterations back_prop swap_memory name", "foldr")
case = _reordered(branches.case, "pred_fn_pairs default exclusive strict name", "case")
div_no_nan = _reordered(arithmetic.divide_no_nan, "x y name", "div_no_nan")
count_nonzero = _reordered(reduce.count_nonzero, "input axis keepdims dtype name", "count_nonzero")
matrix_inverse = _reordered(solve.inv, "input adjoint name", "matrix_inverse")
tuple_ = _reordered(critical_section.tuple_, "tensors name control_inputs", "tuple")
convert_to_tensor = _reordered(
    convert.convert_to_tensor, "value dtype name preferred_dtype dtype_hint", "convert_to_tensor"
)
assert_scalar = _reordered(asserts.assert_scalar, "tensor name message", "debugging.assert_scalar", "assert_scalar")
parse_example = _reordered(parsing.parse_example, "serialized features name example_names", "io.parse_example")
parse_single_example = _reordered(
    parsing.parse_single_example, "serialized features name example_names", "io.parse_single_example"
)
decode_csv = _reordered(
    files.decode_csv, "records record_defaults field_delim use_quote_delim name na_value select_cols", "decode_csv", "io.decode_csv"
)
serialize_sparse = _reordered(serialized.serialize_sparse, "sp_input name out_type", "serialize_sparse", "io.serialize_sparse")
serialize_many_sparse = _reordered(
    serialized.serialize_many_sparse, "sp_input name out_type", "serialize_many_sparse", "io.serialize_many_sparse"
)
confusion_matrix = _reordered(
    segment.confusion_matrix, "labels predictions num_classes dtype name weights", "math.confusion_matrix"
)
in_top_k = _reordered(statistics.in_top_k, "predictions targets k name", "math.in_top_k", "nn.in_top_k")
crelu = _reordered(activations.crelu, "features name axis", "nn.crelu")
depth_to_space = _reordered(blocks.depth_to_space, "input block_size name data_format", "nn.depth_to_space")
moments = _reordered(statistics.moments, "x axes shift name keep_dims keepdims", "nn.moments")
space_to_depth = _reordered(blocks.space_to_depth, "input block_size name data_format", "nn.space_to_depth")
sufficient_statistics = _reordered(
    statistics.sufficient_statistics, "x axes shift keep_dims name keepdims", "nn.sufficient_statistics"
)
weighted_moments = _reordered(
    statistics.weighted_moments, "x axes frequency_weights name keep_dims keepdims", "nn.weighted_moments"
)
poisson = _reordered(sampling.poisson, "lam shape dtype seed name", "random.poisson")
sparse_segment_mean = _reordered(
    segment.sparse_segment_mean, "data indices segment_ids name num_segments sparse_gradient", "sparse.segment_mean",
    "sparse_segment_mean",
)
sparse_segment_sqrt_n = _reordered(
    segment.sparse_segment_sqrt_n, "data indices segment_ids name num_segments sparse_gradient", "sparse.segment_sqrt_n",
    "sparse_segment_sqrt_n",
)
sparse_segment_sum = _reordered(
    segment.sparse_segment_sum, "data indices segment_ids name num_segments sparse_gradient", "sparse.segment_sum",
    "sparse_segment_sum",
)
length = _reordered(elementwise.length, "input name unit", "strings.length")
reduce_join = _reordered(
    rows.reduce_join, "inputs axis keep_dims separator name reduction_indices keepdims", "reduce_join"
)
substr = _reordered(elementwise.substr, "input pos len name unit", "substr")
