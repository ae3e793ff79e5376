"""Functions of `tf.compat.v1` that have other names or other arguments than in TensorFlow 2."""

from __future__ import annotations

import sys

from reflow.api.call import call
from reflow.api.export import TABLE, export, export_value
from reflow.core import dtypes
from reflow.core.context import state
from reflow.core.shapes import dims_of
from reflow.ops.convert import convert_to_tensor

#: old name -> new name: the same function
RENAMED = {
    "as_string": "strings.as_string",
    "initializers.constant": "constant_initializer",
    "initializers.ones": "ones_initializer",
    "initializers.zeros": "zeros_initializer",
    "matrix_determinant": "linalg.det",
    "multinomial": "random.categorical",
    "py_func": "numpy_function",
    "python_io.TFRecordWriter": "io.TFRecordWriter",
    "regex_replace": "strings.regex_replace",
    "self_adjoint_eig": "linalg.eigh",
    "sparse_tensor_dense_matmul": "sparse.sparse_dense_matmul",
    "sparse_tensor_to_dense": "sparse.to_dense",
    "string_join": "strings.join",
    "string_strip": "strings.strip",
    "truncated_normal": "random.truncated_normal",
    "verify_tensor_all_finite": "debugging.assert_all_finite",
    "gfile.DeleteRecursively": "io.gfile.rmtree",
    "gfile.Exists": "io.gfile.exists",
    "gfile.GFile": "io.gfile.GFile",
    "gfile.Glob": "io.gfile.glob",
    "gfile.IsDirectory": "io.gfile.isdir",
    "gfile.ListDirectory": "io.gfile.listdir",
    "gfile.MakeDirs": "io.gfile.makedirs",
    "gfile.Open": "io.gfile.GFile",
    "gfile.Remove": "io.gfile.remove",
}
#: (prefix of the old name, namespace of the new one): names that only moved
MOVED = {
    (
        "",
        "math",
    ): """accumulate_n angle betainc bincount ceil confusion_matrix conj cumprod digamma erf erfc expm1 floordiv floormod
        igamma igammac imag invert_permutation is_finite is_inf is_nan is_non_decreasing is_strictly_increasing lbeta lgamma log log1p
        log_sigmoid logical_xor mod polygamma polyval real reciprocal rint rsqrt segment_max segment_mean segment_min segment_prod
        segment_sum squared_difference unsorted_segment_max unsorted_segment_mean unsorted_segment_min unsorted_segment_prod
        unsorted_segment_sqrt_n unsorted_segment_sum xdivy zeta""",
    ("", "linalg"): "cholesky cholesky_solve cross diag diag_part global_norm matrix_transpose qr svd trace",
    ("matrix_", "linalg"): "band_part diag diag_part set_diag solve triangular_solve",
    ("", "signal"): "fft fft2d fft3d ifft ifft2d ifft3d",
    (
        "sparse_",
        "sparse",
    ): """add fill_empty_rows maximum minimum reorder reset_shape reshape retain slice softmax to_indicator
        transpose""",
    (
        "",
        "io",
    ): """FixedLenFeature FixedLenSequenceFeature VarLenFeature decode_base64 decode_raw encode_base64 matching_files
        parse_tensor read_file write_file""",
    ("", "debugging"): "Assert assert_integer assert_proper_iterable assert_type check_numerics",
    ("", "nn"): "depth_to_space space_to_depth",
    ("random_", "random"): "gamma normal shuffle uniform",
    (
        "",
        "",
    ): """constant_initializer data.Dataset data.Iterator data.TFRecordDataset data.TextLineDataset ones_initializer
        random_normal_initializer random_uniform_initializer train.BytesList train.Example train.Feature train.Features
        train.FloatList train.Int64List train.latest_checkpoint zeros_initializer""",
}
for (_prefix, _space), _names in MOVED.items():
    RENAMED |= {_prefix + n: f"{_space}.{n}".lstrip(".") for n in _names.split()}
for _old, _new in RENAMED.items():
    if _new in TABLE and f"compat.v1.{_old}" not in TABLE:
        export_value(TABLE[_new], f"compat.v1.{_old}")


#: functions of the same meaning whose arguments stand in another order; those are version 1's
REORDERED = {
    "constant": "value dtype shape name",
    "zeros_like": "input dtype name",
    "ones_like": "input dtype name",
    "shape": "input name out_type",
    "size": "input name out_type",
    "transpose": "a perm name conjugate",
    "gather": "params indices validate_indices name axis batch_dims",
    "gather_nd": "params indices name batch_dims",
    "pad": "tensor paddings mode name constant_values",
    "name_scope": "name",
    "norm": "tensor ord axis keepdims name",
    "boolean_mask": "tensor mask name axis",
    "map_fn": "fn elems dtype parallel_iterations back_prop swap_memory infer_shape name",
    "scan": "fn elems initializer parallel_iterations back_prop swap_memory infer_shape reverse name",
    "foldl": "fn elems initializer parallel_iterations back_prop swap_memory name",
    "foldr": "fn elems initializer parallel_iterations back_prop swap_memory name",
    "case": "pred_fn_pairs default exclusive strict name",
    "math.divide_no_nan": "x y name",
    "math.count_nonzero": "input axis keepdims dtype name",
    "linalg.inv": "input adjoint name",
    "tuple": "tensors name control_inputs",
    "convert_to_tensor": "value dtype name preferred_dtype dtype_hint",
    "debugging.assert_scalar": "tensor name message",
    "io.parse_example": "serialized features name example_names",
    "io.parse_single_example": "serialized features name example_names",
    "math.confusion_matrix": "labels predictions num_classes dtype name weights",
    "math.in_top_k": "predictions targets k name",
    "nn.crelu": "features name axis",
    "nn.depth_to_space": "input block_size name data_format",
    "nn.in_top_k": "predictions targets k name",
    "nn.moments": "x axes shift name keep_dims keepdims",
    "nn.space_to_depth": "input block_size name data_format",
    "nn.sufficient_statistics": "x axes shift keep_dims name keepdims",
    "nn.weighted_moments": "x axes frequency_weights name keep_dims keepdims",
    "random.poisson": "lam shape dtype seed name",
    "sparse.segment_mean": "data indices segment_ids name num_segments sparse_gradient",
    "sparse.segment_sqrt_n": "data indices segment_ids name num_segments sparse_gradient",
    "sparse.segment_sum": "data indices segment_ids name num_segments sparse_gradient",
    "strings.length": "input name unit",
    "strings.reduce_join": "inputs axis keep_dims separator name reduction_indices keepdims",
    "strings.substr": "input pos len name unit",
}
_V1_NAMES = {
    "math.divide_no_nan": "div_no_nan",
    "math.count_nonzero": "count_nonzero",
    "linalg.inv": "matrix_inverse",
    "strings.substr": "substr",
    "strings.reduce_join": "reduce_join",
}


def _reordered(name: str, order: list):
    function = TABLE[name]
    old = _V1_NAMES.get(name, name)

    @export(f"compat.v1.{old}")
    def call_v2(*args, **kwargs):
        kwargs.update(zip(order, args, strict=False))
        for new_name, old_name in (
            ("input", "tensor"),
            ("axis", "dim"),
            ("keepdims", "keep_dims"),
            ("dtype_hint", "preferred_dtype"),
        ):
            if new_name in order and old_name in kwargs and old_name not in order[:1]:
                kwargs[new_name] = kwargs.pop(old_name)
        return function(**kwargs)

    call_v2.__name__, call_v2.__doc__ = old, f"`tf.{name}` with the arguments in the order of TensorFlow 1."


for _name, _order in REORDERED.items():
    if f"compat.v1.{_V1_NAMES.get(_name, _name)}" not in TABLE:
        _reordered(_name, _order.split())


def either(new, old, new_name: str, old_name: str):
    """One of two arguments that mean the same."""
    if new is not None and old is not None:
        raise ValueError(f"Cannot specify both '{new_name}' and '{old_name}'.")
    return old if new is None else new


def _reduction(name: str):
    function = TABLE[name]

    @export(f"compat.v1.{name}", f"compat.v1.math.{name}")
    def reduce(input_tensor, axis=None, keepdims=None, name=None, reduction_indices=None, keep_dims=None):
        axis = either(axis, reduction_indices, "axis", "reduction_indices")
        keep = either(keepdims, keep_dims, "keepdims", "keep_dims")
        return function(input_tensor, axis, bool(keep), name)

    reduce.__name__, reduce.__doc__ = name, f"`tf.{name}`, which also knows the old names of its arguments."


for _name in ("sum", "mean", "max", "min", "prod", "all", "any", "logsumexp"):
    _reduction(f"reduce_{_name}")


def _arg(name: str):
    function = TABLE[name]

    @export(f"compat.v1.{name}", f"compat.v1.math.{name}")
    def arg(input, axis=None, name=None, dimension=None, output_type=dtypes.int64):
        axis = either(axis, dimension, "axis", "dimension")
        return function(input, 0 if axis is None else axis, output_type, name)

    arg.__name__, arg.__doc__ = name, f"`tf.{name}`, which also knows `dimension`."


_arg("argmax")
_arg("argmin")


def _cast_to(name: str, dtype):
    @export(f"compat.v1.to_{name}")
    def cast(x, name=None):
        return TABLE["cast"](x, dtype, name)

    cast.__name__, cast.__doc__ = f"to_{name}", f"A tensor as {dtype.name}."


for _name, _dtype in {
    "float": dtypes.float32,
    "double": dtypes.float64,
    "int32": dtypes.int32,
    "int64": dtypes.int64,
    "bfloat16": dtypes.bfloat16,
    "complex64": dtypes.complex64,
    "complex128": dtypes.complex128,
}.items():
    _cast_to(_name, _dtype)


@export("compat.v1.div")
def div(x, y, name=None):
    """Division as Python 2 did it: rounded down for integers.

    >>> div(7, 2).numpy().item()
    3
    """
    x = convert_to_tensor(x)
    return TABLE["math.floordiv"](x, y, name) if x.dtype.is_integer else TABLE["math.divide"](x, y, name)


@export("compat.v1.Print")
def Print(input_, data, message=None, first_n=None, summarize=None, name=None):
    """The input, unchanged; when it is computed, `data` is printed to standard error."""
    if first_n is not None and first_n >= 0:
        raise ValueError("Print: `first_n` is not supported; use tf.print.")
    tensors = [convert_to_tensor(t) for t in data]
    printed = TABLE["print"](message or "", *tensors, summarize=summarize or 3, sep="", output_stream=sys.stderr)
    if state.graph is None:
        return convert_to_tensor(input_)
    with state.graph.control_dependencies([printed]):
        return TABLE["identity"](input_)


@export("compat.v1.placeholder_with_default")
def placeholder_with_default(input, shape, name=None):
    """A tensor that a session may feed, with a value for when it does not."""
    return call("PlaceholderWithDefault", (convert_to_tensor(input),), {"shape": dims_of(shape)}, name)


@export("compat.v1.cond")
def cond(pred, true_fn=None, false_fn=None, strict=False, name=None, fn1=None, fn2=None):
    """`true_fn()` if `pred`, else `false_fn()`."""
    return TABLE["cond"](pred, either(true_fn, fn1, "true_fn", "fn1"), either(false_fn, fn2, "false_fn", "fn2"), name)


@export("compat.v1.while_loop")
def while_loop(
    cond,
    body,
    loop_vars,
    shape_invariants=None,
    parallel_iterations=10,
    back_prop=True,
    swap_memory=False,
    name=None,
    maximum_iterations=None,
    return_same_structure=False,
):
    """Repeat `body` while `cond`; a single loop variable comes back bare unless `return_same_structure`."""
    out = TABLE["while_loop"](
        cond, body, loop_vars, shape_invariants, parallel_iterations, back_prop, swap_memory, maximum_iterations, name
    )
    single = isinstance(out, (list, tuple)) and len(out) == 1 and not return_same_structure
    return out[0] if single else out


@export("compat.v1.nn.softmax_cross_entropy_with_logits_v2")
def softmax_cross_entropy_with_logits_v2(labels, logits, axis=None, name=None, dim=None):
    """The cross entropy of softmax(logits) against `labels`."""
    axis = either(axis, dim, "axis", "dim")
    return TABLE["nn.softmax_cross_entropy_with_logits"](labels, logits, -1 if axis is None else axis, name)


def _need_names(name, sentinel, *given):
    if sentinel is not None or any(g is None for g in given):
        raise ValueError(f"Only call `{name}` with named arguments (labels=..., logits=..., ...)")


@export("compat.v1.nn.softmax_cross_entropy_with_logits")
def softmax_cross_entropy_with_logits(_sentinel=None, labels=None, logits=None, dim=-1, name=None, axis=None):
    """The cross entropy of softmax(logits) against `labels`, whose gradient does not reach the labels."""
    _need_names("softmax_cross_entropy_with_logits", _sentinel, labels, logits)
    labels = TABLE["stop_gradient"](labels)
    return TABLE["nn.softmax_cross_entropy_with_logits"](labels, logits, dim if axis is None else axis, name)


@export("compat.v1.nn.sparse_softmax_cross_entropy_with_logits")
def sparse_softmax_cross_entropy_with_logits(_sentinel=None, labels=None, logits=None, name=None):
    """The cross entropy of softmax(logits) against class numbers."""
    _need_names("sparse_softmax_cross_entropy_with_logits", _sentinel, labels, logits)
    return TABLE["nn.sparse_softmax_cross_entropy_with_logits"](labels, logits, name)


@export("compat.v1.nn.sigmoid_cross_entropy_with_logits")
def sigmoid_cross_entropy_with_logits(_sentinel=None, labels=None, logits=None, name=None):
    """The cross entropy of sigmoid(logits) against probabilities."""
    _need_names("sigmoid_cross_entropy_with_logits", _sentinel, labels, logits)
    return TABLE["nn.sigmoid_cross_entropy_with_logits"](labels, logits, name)


@export("compat.v1.nn.dropout")
def dropout(x, keep_prob=None, noise_shape=None, seed=None, name=None, rate=None):
    """Zero each element with probability `rate`, or 1 - `keep_prob`, and scale the others up."""
    rate = either(rate, None if keep_prob is None else 1 - keep_prob, "rate", "keep_prob")
    if rate is None:
        raise ValueError(f"`rate` must be provided. Received: rate={rate}")
    return TABLE["nn.dropout"](x, rate, noise_shape, seed, name)


@export("compat.v1.nn.conv2d")
def conv2d(
    input,
    filter=None,
    strides=None,
    padding=None,
    use_cudnn_on_gpu=True,
    data_format="NHWC",
    dilations=(1, 1, 1, 1),
    name=None,
    filters=None,
):
    """A convolution of images."""
    filters = either(filters, filter, "filters", "filter")
    return TABLE["nn.conv2d"](input, filters, strides, padding, data_format, list(dilations), name)


def _pool(name: str):
    function = TABLE[f"nn.{name}2d"]

    @export(f"compat.v1.nn.{name}")
    def pool(value=None, ksize=None, strides=None, padding=None, data_format="NHWC", name=None, input=None):
        return function(either(value, input, "value", "input"), ksize, strides, padding, data_format, name)

    pool.__name__, pool.__doc__ = name, f"`tf.nn.{name}2d` with the arguments of TensorFlow 1."


_pool("max_pool")
_pool("avg_pool")


@export("compat.v1.squeeze")
def squeeze(input, axis=None, name=None, squeeze_dims=None):
    """Remove dimensions of size 1."""
    return TABLE["squeeze"](input, either(axis, squeeze_dims, "axis", "squeeze_dims"), name)


@export("compat.v1.expand_dims")
def expand_dims(input, axis=None, name=None, dim=None):
    """Insert a dimension of size 1."""
    axis = either(axis, dim, "axis", "dim")
    if axis is None:
        raise ValueError("Must specify an axis argument to tf.expand_dims()")
    return TABLE["expand_dims"](input, axis, name)


@export("compat.v1.where")
def where(condition, x=None, y=None, name=None):
    """Places that are true, or elements of `x` and `y`; a condition of rank 1 chooses rows of larger tensors."""
    condition = convert_to_tensor(condition)
    if x is None and y is None:
        return TABLE["where"](condition, name=name)
    x = convert_to_tensor(x)
    if condition.shape.rank == 1 and (x.shape.rank or 0) > 1:
        condition = TABLE["reshape"](condition, [-1] + [1] * (x.shape.rank - 1))
    return TABLE["where"](condition, x, y, name)


@export("compat.v1.nn.embedding_lookup")
def embedding_lookup(params, ids, partition_strategy="mod", name=None, validate_indices=True, max_norm=None):
    """Rows of a table."""
    if isinstance(params, (list, tuple)) and len(params) > 1:
        raise ValueError("embedding_lookup: a table in several parts is not supported.")
    table = params[0] if isinstance(params, (list, tuple)) else params
    return TABLE["nn.embedding_lookup"](table, ids, max_norm, name)


@export("compat.v1.set_random_seed", "compat.v1.random.set_random_seed")
def set_random_seed(seed):
    """The seed of the default graph's random ops; in eager code the global seed."""
    if state.graph is None:
        TABLE["random.set_seed"](seed)
    else:
        state.graph.seed = seed


@export("compat.v1.gradients")
def gradients(
    ys,
    xs,
    grad_ys=None,
    name="gradients",
    colocate_gradients_with_ops=False,
    gate_gradients=False,
    aggregation_method=None,
    stop_gradients=None,
    unconnected_gradients="none",
):
    """Symbolic derivatives of the sum of `ys`; where they are computed is left to the compiler."""
    return TABLE["gradients"](
        ys, xs, grad_ys, name, gate_gradients, aggregation_method, stop_gradients, unconnected_gradients
    )
