"""Functions of `tf.compat.v1` that mean the same as in TensorFlow 2 but take their arguments in a different order."""

from __future__ import annotations

import collections
import inspect

from reflow.api.array import arrange, blocks, creation, indexing
from reflow.api.control import branches, critical_section, functional
from reflow.api.debugging import asserts
from reflow.api.export import export, export_function
from reflow.api.linalg import norms, solve
from reflow.api.math import arithmetic, bins, reduce, segment
from reflow.api.nn import activations, losses, statistics
from reflow.api.random import sampling
from reflow.api.sparse import arithmetic as sparse_arithmetic
from reflow.api.sparse import tensors
from reflow.api.strings import elementwise, rows
from reflow.compat import behavior
from reflow.core import nest
from reflow.function import control_flow
from reflow.io import files, parsing, serialized
from reflow.ops import convert


def reordered(function, order: str, *names: str, example: str):
    """The function with the arguments of TensorFlow 1, exported under names below `tf.compat.v1`.

    A word of `order` is an argument's name; `old>new` one that has another name in version 2, and `old>` one that says
    nothing any more.
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

    call.__signature__ = _signature(function, words)  # type: ignore[attr-defined]
    call.__wrapped__ = function  # type: ignore[attr-defined]
    doc = (
        f"`{function.__name__.rstrip('_')}` of TensorFlow 2 with the arguments of TensorFlow 1: {', '.join(arguments)}."
    )
    return export_function(call, *(f"compat.v1.{name}" for name in names), doc=doc, example=example)


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
        cond, watched, loop_vars, shape_invariants, parallel_iterations, back_prop, swap_memory, maximum_iterations,
        name,
    )
    flat = nest.flatten(out)
    if len(flat) == 1 and not return_same_structure:
        return flat[0]
    if behavior.control_flow_v2_enabled() or not returned:
        return out
    made = returned[0] if isinstance(returned[0], (list, tuple, dict)) else [returned[0]]
    return nest.pack_sequence_as(made, flat)


zeros_like = reordered(creation.zeros_like, "tensor>input dtype name optimize>", "zeros_like", example="""
    >>> tf.compat.v1.zeros_like([[1, 2], [3, 4]], tf.float32).numpy().tolist()
    [[0.0, 0.0], [0.0, 0.0]]
""")
ones_like = reordered(creation.ones_like, "tensor>input dtype name optimize>", "ones_like", example="""
    >>> tf.compat.v1.ones_like([[1, 2], [3, 4]], tf.float32).numpy().tolist()
    [[1.0, 1.0], [1.0, 1.0]]
""")
shape = reordered(arrange.shape, "input name out_type", "shape", example="""
    >>> tf.compat.v1.shape([[1, 2, 3]], out_type=tf.int64).numpy().tolist()
    [1, 3]
""")
size = reordered(arrange.size, "input name out_type", "size", example="""
    >>> tf.compat.v1.size([[1, 2, 3]], "count").numpy().item()
    3
""")
transpose = reordered(arrange.transpose, "a perm name conjugate", "transpose", example="""
    >>> tf.compat.v1.transpose([[1, 2], [3, 4]], [1, 0], "turned").numpy().tolist()
    [[1, 3], [2, 4]]
""")
gather = reordered(indexing.gather, "params indices validate_indices name axis batch_dims", "gather", example="""
    >>> tf.compat.v1.gather([10, 20, 30], [2, 0], name="chosen").numpy().tolist()
    [30, 10]
""")
gather_nd = reordered(indexing.gather_nd, "params indices name batch_dims bad_indices_policy", "gather_nd", example="""
    >>> tf.compat.v1.gather_nd([[1, 2], [3, 4]], [[0, 1], [1, 0]], "chosen").numpy().tolist()
    [2, 3]
""")
pad = reordered(arrange.pad, "tensor paddings mode name constant_values", "pad", example="""
    >>> tf.compat.v1.pad([1, 2], [[1, 1]], "CONSTANT", "padded", constant_values=9).numpy().tolist()
    [9, 1, 2, 9]
""")
norm = reordered(norms.norm, "tensor ord axis keepdims name keep_dims>keepdims", "norm", "linalg.norm", example="""
    >>> tf.compat.v1.norm([[3.0, 4.0], [6.0, 8.0]], axis=1, keep_dims=True).numpy().tolist()
    [[5.0], [10.0]]
""")
boolean_mask = reordered(indexing.boolean_mask, "tensor mask name axis", "boolean_mask", example="""
    >>> tf.compat.v1.boolean_mask([1, 2, 3], [True, False, True], "kept").numpy().tolist()
    [1, 3]
""")
map_fn = reordered(
    functional.map_fn, "fn elems dtype parallel_iterations back_prop swap_memory infer_shape name fn_output_signature",
    "map_fn",
    example="""
        >>> tf.compat.v1.map_fn(lambda x: x / 2, tf.constant([2, 4]), dtype=tf.float64).numpy().tolist()
        [1.0, 2.0]
    """,
)
scan = reordered(
    functional.scan, "fn elems initializer parallel_iterations back_prop swap_memory infer_shape reverse name", "scan",
    example="""
        >>> tf.compat.v1.scan(lambda total, x: total + x, tf.constant([1, 2, 3])).numpy().tolist()
        [1, 3, 6]
    """,
)
foldl = reordered(
    functional.foldl, "fn elems initializer parallel_iterations back_prop swap_memory name", "foldl", example="""
    >>> tf.compat.v1.foldl(lambda total, x: total - x, tf.constant([1, 2, 3])).numpy().item()
    -4
""")
foldr = reordered(
    functional.foldr, "fn elems initializer parallel_iterations back_prop swap_memory name", "foldr", example="""
    >>> tf.compat.v1.foldr(lambda total, x: total - x, tf.constant([1, 2, 3])).numpy().item()
    0
""")
case = reordered(branches.case, "pred_fn_pairs default exclusive strict name", "case", example="""
    >>> x = tf.constant(3)
    >>> tf.compat.v1.case([(x < 2, lambda: tf.constant("small")), (x < 5, lambda: tf.constant("middling"))]).numpy()
    b'middling'
""")
div_no_nan = reordered(arithmetic.divide_no_nan, "x y name", "div_no_nan", example="""
    >>> tf.compat.v1.div_no_nan([6.0, 1.0], [2.0, 0.0]).numpy().tolist()
    [3.0, 0.0]
""")
count_nonzero = reordered(
    reduce.count_nonzero, "input_tensor>input axis keepdims dtype name reduction_indices>axis keep_dims>keepdims input",
    "count_nonzero",
    example="""
        >>> tf.compat.v1.count_nonzero([[0, 1], [2, 3]], reduction_indices=1).numpy().tolist()
        [1, 2]
    """,
)
matrix_inverse = reordered(solve.inv, "input adjoint name", "matrix_inverse", example="""
    >>> tf.compat.v1.matrix_inverse([[2.0, 0.0], [0.0, 4.0]]).numpy().tolist()
    [[0.5, 0.0], [0.0, 0.25]]
""")
tuple_ = reordered(critical_section.tuple_, "tensors name control_inputs", "tuple", example="""
    >>> [t.numpy().item() for t in tf.compat.v1.tuple([tf.constant(1), tf.constant(2)])]
    [1, 2]
""")
convert_to_tensor = reordered(
    convert.convert_to_tensor, "value dtype name preferred_dtype>dtype_hint dtype_hint", "convert_to_tensor",
    example="""
        >>> tf.compat.v1.convert_to_tensor([1, 2], preferred_dtype=tf.float32).dtype
        tf.float32
    """,
)
parse_example = reordered(
    parsing.parse_example, "serialized features name example_names", "io.parse_example", example="""
    >>> example = tf.train.Example(features=tf.train.Features(feature={
    ...     "age": tf.train.Feature(int64_list=tf.train.Int64List(value=[42]))}))
    >>> columns = {"age": tf.io.FixedLenFeature([], tf.int64)}
    >>> tf.compat.v1.io.parse_example([example.SerializeToString()], columns)["age"].numpy().tolist()
    [42]
""")
parse_single_example = reordered(
    parsing.parse_single_example, "serialized features name example_names", "io.parse_single_example",
    example="""
        >>> example = tf.train.Example(features=tf.train.Features(feature={
        ...     "age": tf.train.Feature(int64_list=tf.train.Int64List(value=[42]))}))
        >>> columns = {"age": tf.io.FixedLenFeature([], tf.int64)}
        >>> tf.compat.v1.io.parse_single_example(example.SerializeToString(), columns)["age"].numpy().item()
        42
    """,
)
decode_csv = reordered(
    files.decode_csv, "records record_defaults field_delim use_quote_delim name na_value select_cols", "decode_csv",
    "io.decode_csv",
    example="""
        >>> names, ages = tf.compat.v1.decode_csv(["Ann,42", "Bo,"], [[""], [0]])
        >>> names.numpy().tolist(), ages.numpy().tolist()
        ([b'Ann', b'Bo'], [42, 0])
    """,
)
serialize_sparse = reordered(
    serialized.serialize_sparse, "sp_input name out_type", "serialize_sparse", "io.serialize_sparse", example="""
    >>> tf.compat.v1.serialize_sparse(tf.sparse.from_dense([0, 7])).shape
    TensorShape([3])
""")
serialize_many_sparse = reordered(
    serialized.serialize_many_sparse, "sp_input name out_type", "serialize_many_sparse", "io.serialize_many_sparse",
    example="""
        >>> tf.compat.v1.serialize_many_sparse(tf.sparse.from_dense([[0, 7], [8, 0]])).shape
        TensorShape([2, 3])
    """,
)
confusion_matrix = reordered(
    segment.confusion_matrix, "labels predictions num_classes dtype name weights", "math.confusion_matrix",
    "confusion_matrix",
    example="""
        >>> tf.compat.v1.confusion_matrix([0, 1, 1], [0, 1, 0], num_classes=2).numpy().tolist()
        [[1, 0], [1, 1]]
    """,
)
in_top_k = reordered(statistics.in_top_k, "predictions targets k name", "math.in_top_k", "nn.in_top_k", example="""
    >>> tf.compat.v1.math.in_top_k([[0.1, 0.7, 0.2], [0.5, 0.3, 0.2]], [2, 2], 2).numpy().tolist()
    [True, False]
""")
crelu = reordered(activations.crelu, "features name axis", "nn.crelu", example="""
    >>> tf.compat.v1.nn.crelu([1.0, -2.0]).numpy().tolist()
    [1.0, 0.0, 0.0, 2.0]
""")
depth_to_space = reordered(
    blocks.depth_to_space, "input block_size name data_format", "nn.depth_to_space", "depth_to_space", example="""
    >>> tf.compat.v1.depth_to_space(tf.reshape([1, 2, 3, 4], [1, 1, 1, 4]), 2)[0, :, :, 0].numpy().tolist()
    [[1, 2], [3, 4]]
""")
moments = reordered(statistics.moments, "x axes shift name keep_dims>keepdims keepdims", "nn.moments", example="""
    >>> mean, variance = tf.compat.v1.nn.moments(tf.constant([[1.0, 2.0], [3.0, 6.0]]), axes=[0], keep_dims=True)
    >>> mean.numpy().tolist(), variance.numpy().tolist()
    ([[2.0, 4.0]], [[1.0, 4.0]])
""")
space_to_depth = reordered(
    blocks.space_to_depth, "input block_size name data_format", "nn.space_to_depth", "space_to_depth", example="""
    >>> tf.compat.v1.space_to_depth(tf.reshape([1, 2, 3, 4], [1, 2, 2, 1]), 2).numpy().ravel().tolist()
    [1, 2, 3, 4]
""")
sufficient_statistics = reordered(
    statistics.sufficient_statistics, "x axes shift keep_dims>keepdims name keepdims", "nn.sufficient_statistics",
    example="""
        >>> count, total, squares, shift = tf.compat.v1.nn.sufficient_statistics(tf.constant([1.0, 2.0, 3.0]), axes=[0])
        >>> count.numpy().item(), total.numpy().item(), squares.numpy().item(), shift
        (3.0, 6.0, 14.0, None)
    """,
)
weighted_moments = reordered(
    statistics.weighted_moments, "x axes frequency_weights name keep_dims>keepdims keepdims", "nn.weighted_moments",
    example="""
        >>> mean, variance = tf.compat.v1.nn.weighted_moments(tf.constant([1.0, 5.0]), [0], tf.constant([3.0, 1.0]))
        >>> mean.numpy().item(), variance.numpy().item()
        (2.0, 3.0)
    """,
)
poisson = reordered(sampling.poisson, "lam shape dtype seed name", "random.poisson", example="""
    Version 1 takes the rates first; each of them has samples of this shape.
    
    >>> tf.compat.v1.random.poisson([0.0, 1e-9], [3], seed=1).numpy().tolist()
    [[0.0, 0.0], [0.0, 0.0], [0.0, 0.0]]
""")


def _of_segments(function, given: str, shown: str):
    name = function.__name__
    order, short = "data indices segment_ids name num_segments sparse_gradient", name.removeprefix("sparse_")
    example = f">>> tf.compat.v1.{name}({given}).numpy().tolist()\n{shown}"
    return reordered(function, order, f"sparse.{short}", name, example=example)


sparse_segment_mean = _of_segments(segment.sparse_segment_mean, "[[1.0], [2.0], [4.0]], [0, 2], [0, 0]", "[[2.5]]")
sparse_segment_sqrt_n = _of_segments(
    segment.sparse_segment_sqrt_n, "[[1.0], [2.0], [3.0], [4.0]], [0, 1, 2, 3], [0, 0, 0, 0]", "[[5.0]]"
)
sparse_segment_sum = _of_segments(segment.sparse_segment_sum, "[[1.0], [2.0], [4.0]], [0, 2], [0, 0]", "[[5.0]]")
length = reordered(elementwise.length, "input name unit", "strings.length", example="""
    >>> tf.compat.v1.strings.length(["é", "tea"], unit="UTF8_CHAR").numpy().tolist()
    [1, 3]
""")
reduce_join = reordered(
    rows.reduce_join, "inputs axis keep_dims>keepdims separator name reduction_indices>axis keepdims", "reduce_join",
    "strings.reduce_join",
    example="""
        >>> tf.compat.v1.reduce_join([["a", "b"], ["c", "d"]], reduction_indices=1, separator="-").numpy().tolist()
        [b'a-b', b'c-d']
    """,
)
substr = reordered(elementwise.substr, "input pos len name unit", "substr", "strings.substr", example="""
    >>> tf.compat.v1.substr(["Hello", "World"], 1, 3).numpy().tolist()
    [b'ell', b'orl']
""")
verify_tensor_all_finite = reordered(
    asserts.assert_all_finite, "t>x msg>message name x message", "verify_tensor_all_finite",
    "debugging.assert_all_finite",
    example="""
        >>> tf.compat.v1.verify_tensor_all_finite([1.0, 2.0], "the loss is not finite").numpy().tolist()
        [1.0, 2.0]
    """,
)
bincount = reordered(
    bins.bincount, "arr weights minlength maxlength dtype", "bincount", "math.bincount", example="""
    >>> tf.compat.v1.bincount([1, 1, 3], minlength=5).numpy().tolist()
    [0, 2, 0, 1, 0]
""")
multinomial = reordered(
    sampling.categorical, "logits num_samples seed name output_dtype>dtype", "multinomial", "random.multinomial",
    example="""
    >>> tf.compat.v1.multinomial([[0.0, 100.0]], 3, seed=1).numpy().tolist()
    [[1, 1, 1]]
""")
decode_raw = reordered(
    files.decode_raw, "input_bytes out_type little_endian name bytes>input_bytes", "decode_raw", "io.decode_raw",
    example=r"""
    >>> tf.compat.v1.decode_raw(bytes=[b"\x01\x02"], out_type=tf.uint8).numpy().tolist()
    [[1, 2]]
""")
sparse_add = reordered(sparse_arithmetic.add, "a b threshold thresh>threshold", "sparse_add", "sparse.add", example="""
    >>> a, b = tf.sparse.from_dense([1.0, 0.0]), tf.sparse.from_dense([0.01, 2.0])
    >>> print(tf.sparse.to_dense(tf.compat.v1.sparse_add(a, b, thresh=0.5)).numpy().round(2))
    [1.01 2.  ]
""")
sparse_concat = reordered(
    tensors.concat,
    "axis sp_inputs name expand_nonconcat_dim>expand_nonconcat_dims concat_dim>axis expand_nonconcat_dims",
    "sparse_concat",
    "sparse.concat",
    example="""
        >>> a, b = tf.sparse.from_dense([[1, 0]]), tf.sparse.from_dense([[0, 2]])
        >>> tf.sparse.to_dense(tf.compat.v1.sparse_concat(concat_dim=1, sp_inputs=[a, b])).numpy().tolist()
        [[1, 0, 0, 2]]
    """,
)
reverse_sequence = reordered(
    blocks.reverse_sequence, "input seq_lengths seq_axis batch_axis name seq_dim>seq_axis batch_dim>batch_axis",
    "reverse_sequence",
    example="""
        >>> tf.compat.v1.reverse_sequence([[1, 2, 3], [4, 5, 6]], [2, 3], seq_dim=1, batch_dim=0).numpy().tolist()
        [[2, 1, 3], [6, 5, 4]]
    """,
)
batch_norm_with_global_normalization = reordered(
    statistics.batch_norm_with_global_normalization,
    "t>input m>mean v>variance beta gamma variance_epsilon scale_after_normalization name input mean variance",
    "nn.batch_norm_with_global_normalization",
    example="""
        >>> x = tf.reshape([1.0, 3.0], [1, 1, 2, 1])
        >>> y = tf.compat.v1.nn.batch_norm_with_global_normalization(
        ...     x, m=[2.0], v=[1.0], beta=[0.0], gamma=[1.0], variance_epsilon=0.0, scale_after_normalization=True)
        >>> y.numpy().ravel().tolist()
        [-1.0, 1.0]
    """,
)
weighted_cross_entropy_with_logits = reordered(
    losses.weighted_cross_entropy_with_logits, "labels logits pos_weight name targets>labels",
    "nn.weighted_cross_entropy_with_logits",
    example="""
        >>> loss = tf.compat.v1.nn.weighted_cross_entropy_with_logits
        >>> print(loss(targets=[1.0, 0.0], logits=[0.0, 0.0], pos_weight=2.0).numpy().round(3))
        [1.386 0.693]
    """,
)
