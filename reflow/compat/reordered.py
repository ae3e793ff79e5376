"""Functions of `tf.compat.v1` that mean the same as in TensorFlow 2 but take their arguments in another order."""

from __future__ import annotations

import collections
import inspect

from reflow.api.array import arrange, blocks, creation, indexing
from reflow.api.control import branches, critical_section, functional
from reflow.api.debugging import asserts
from reflow.api.export import export, export_value
from reflow.api.linalg import norms, solve
from reflow.api.math import arithmetic, reduce, segment
from reflow.api.nn import activations, losses, statistics
from reflow.api.random import sampling
from reflow.api.sparse import tensors
from reflow.api.strings import elementwise, rows
from reflow.compat import behavior
from reflow.core import nest
from reflow.function import control_flow
from reflow.io import files, parsing, serialized
from reflow.ops import convert


def _reordered(function, order: str, *names: str):
    """The function with the arguments of TensorFlow 1, exported under names below `tf.compat.v1`.

    A word of `order` is an argument's name; `old>new` one that has another name in version 2, and `old>` one that says nothing any more.
    """
    words = [word.partition(">") for word in order.split()]
    arguments = [old for old, _, _ in words]
    renamed = {old: new for old, arrow, new in words if arrow}

    def call(*args, **kwargs):
        if len(args) > len(arguments):
            raise TypeError(f"{call.__name__}() takes {len(arguments)} positional arguments but {len(args)} were given")
        kwargs.update(zip(arguments, args, strict=False))
        for old, new in renamed.items():
            if old in kwargs:
                value = kwargs.pop(old)
                if new and value is not None:
                    if kwargs.get(new) is not None:
                        raise ValueError(f"Cannot specify both '{old}' and '{new}'.")
                    kwargs[new] = value
        return function(**kwargs)

    call.__name__ = names[0].rpartition(".")[2]
    call.__doc__ = f"`{function.__name__}` of TensorFlow 2 with the arguments of TensorFlow 1: {', '.join(arguments)}."
    call.__signature__ = _signature(function, words)  # type: ignore[attr-defined]
    call.__wrapped__ = function  # type: ignore[attr-defined]
    return export_value(call, *(f"compat.v1.{name}" for name in names))


def _signature(function, words) -> inspect.Signature:
    """What `help` shows: an argument has the default of version 2; one of two that mean the same has none."""
    known = inspect.signature(function).parameters
    meant = collections.Counter(new or old for old, _, new in words)
    found, optional = [], False
    for old, _, new in words:
        parameter = known.get(new or old)
        alone = meant[new or old] == 1
        default = parameter.default if parameter is not None and alone else None
        required = default is inspect.Parameter.empty
        optional = optional or not required
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        found.append(inspect.Parameter(old, kind, default=None if required and optional else default))
    return inspect.Signature(found)


@export("compat.v1.while_loop")
def while_loop(
    cond, body, loop_vars, shape_invariants=None, parallel_iterations=10, back_prop=True, swap_memory=False, name=None,
    maximum_iterations=None, return_same_structure=False,
):
    """`tf.while_loop`. A single loop variable comes back bare unless `return_same_structure`.

    Version 1's loops return the structure that the body returned, version 2's that of the loop variables.

    >>> tf.compat.v1.while_loop(lambda i: i < 5, lambda i: i + 1, [tf.constant(0)]).numpy().item()
    5
    """
    returned: list = []

    def watched(*values):
        returned[:] = [body(*values)]
        return returned[0]

    out = control_flow.while_loop(
        cond, watched, loop_vars, shape_invariants, parallel_iterations, back_prop, swap_memory, maximum_iterations, name
    )
    flat = nest.flatten(out)
    if len(flat) == 1 and not return_same_structure:
        return flat[0]
    if behavior.control_flow_v2_enabled() or not returned:
        return out
    made = returned[0] if isinstance(returned[0], (list, tuple, dict)) else [returned[0]]
    return nest.pack_sequence_as(made, flat)


zeros_like = _reordered(creation.zeros_like, "tensor>input dtype name optimize>", "zeros_like")
ones_like = _reordered(creation.ones_like, "tensor>input dtype name optimize>", "ones_like")
shape = _reordered(arrange.shape, "input name out_type", "shape")
size = _reordered(arrange.size, "input name out_type", "size")
transpose = _reordered(arrange.transpose, "a perm name conjugate", "transpose")
gather = _reordered(indexing.gather, "params indices validate_indices name axis batch_dims", "gather")
gather_nd = _reordered(indexing.gather_nd, "params indices name batch_dims bad_indices_policy", "gather_nd")
pad = _reordered(arrange.pad, "tensor paddings mode name constant_values", "pad")
norm = _reordered(norms.norm, "tensor ord axis keepdims name keep_dims>keepdims", "norm", "linalg.norm")
boolean_mask = _reordered(indexing.boolean_mask, "tensor mask name axis", "boolean_mask")
map_fn = _reordered(
    functional.map_fn, "fn elems dtype parallel_iterations back_prop swap_memory infer_shape name fn_output_signature", "map_fn"
)
scan = _reordered(
    functional.scan, "fn elems initializer parallel_iterations back_prop swap_memory infer_shape reverse name", "scan"
)
foldl = _reordered(functional.foldl, "fn elems initializer parallel_iterations back_prop swap_memory name", "foldl")
foldr = _reordered(functional.foldr, "fn elems initializer parallel_iterations back_prop swap_memory name", "foldr")
case = _reordered(branches.case, "pred_fn_pairs default exclusive strict name", "case")
div_no_nan = _reordered(arithmetic.divide_no_nan, "x y name", "div_no_nan")
count_nonzero = _reordered(
    reduce.count_nonzero, "input_tensor>input axis keepdims dtype name reduction_indices>axis keep_dims>keepdims input", "count_nonzero"
)
matrix_inverse = _reordered(solve.inv, "input adjoint name", "matrix_inverse")
tuple_ = _reordered(critical_section.tuple_, "tensors name control_inputs", "tuple")
convert_to_tensor = _reordered(
    convert.convert_to_tensor, "value dtype name preferred_dtype>dtype_hint dtype_hint", "convert_to_tensor"
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
    segment.confusion_matrix, "labels predictions num_classes dtype name weights", "math.confusion_matrix", "confusion_matrix"
)
in_top_k = _reordered(statistics.in_top_k, "predictions targets k name", "math.in_top_k", "nn.in_top_k")
crelu = _reordered(activations.crelu, "features name axis", "nn.crelu")
depth_to_space = _reordered(blocks.depth_to_space, "input block_size name data_format", "nn.depth_to_space", "depth_to_space")
moments = _reordered(statistics.moments, "x axes shift name keep_dims>keepdims keepdims", "nn.moments")
space_to_depth = _reordered(blocks.space_to_depth, "input block_size name data_format", "nn.space_to_depth", "space_to_depth")
sufficient_statistics = _reordered(
    statistics.sufficient_statistics, "x axes shift keep_dims>keepdims name keepdims", "nn.sufficient_statistics"
)
weighted_moments = _reordered(
    statistics.weighted_moments, "x axes frequency_weights name keep_dims>keepdims keepdims", "nn.weighted_moments"
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
    rows.reduce_join, "inputs axis keep_dims>keepdims separator name reduction_indices>axis keepdims", "reduce_join", "strings.reduce_join"
)
substr = _reordered(elementwise.substr, "input pos len name unit", "substr", "strings.substr")
verify_tensor_all_finite = _reordered(
    asserts.assert_all_finite, "t>x msg>message name x message", "verify_tensor_all_finite", "debugging.assert_all_finite"
)
bincount = _reordered(segment.bincount, "arr weights minlength maxlength dtype", "bincount", "math.bincount")
multinomial = _reordered(sampling.categorical, "logits num_samples seed name output_dtype>dtype", "multinomial", "random.multinomial")
decode_raw = _reordered(files.decode_raw, "input_bytes out_type little_endian name bytes>input_bytes", "decode_raw", "io.decode_raw")
sparse_add = _reordered(tensors.add, "a b threshold thresh>threshold", "sparse_add", "sparse.add")
sparse_concat = _reordered(
    tensors.concat, "axis sp_inputs name expand_nonconcat_dim>expand_nonconcat_dims concat_dim>axis expand_nonconcat_dims", "sparse_concat",
    "sparse.concat",
)
reverse_sequence = _reordered(
    blocks.reverse_sequence, "input seq_lengths seq_axis batch_axis name seq_dim>seq_axis batch_dim>batch_axis", "reverse_sequence"
)
batch_norm_with_global_normalization = _reordered(
    statistics.batch_norm_with_global_normalization,
    "t>input m>mean v>variance beta gamma variance_epsilon scale_after_normalization name input mean variance",
    "nn.batch_norm_with_global_normalization",
)
weighted_cross_entropy_with_logits = _reordered(
    losses.weighted_cross_entropy_with_logits, "labels logits pos_weight name targets>labels", "nn.weighted_cross_entropy_with_logits"
)
