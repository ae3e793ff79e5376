"""Shapes, joining and splitting, slices, gathers and scatters, sorting, creation."""
# ruff: noqa: E501 - a case is one line

from tests.ops.inputs import bools, const, distinct, ints, normal, positive, ties, zeros
from tests.ops.table import COMPLEX, FLOATS, INTS, case, raw

KINDS = ("float32", "float64", "bfloat16", "int32", "complex64", "bool")  # for ops that only move elements


# --- identity and facts

case("Identity", lambda tf, x: tf.identity(x), normal(2, 3), dtypes=KINDS)
case("IdentityN", lambda tf, x, y: tf.identity_n([x, y]), normal(2), normal(3))
case("Snapshot", lambda tf, x: raw(tf, "Snapshot", input=x), normal(2), grad=False)
case("DeepCopy", lambda tf, x: raw(tf, "DeepCopy", x=x), normal(2), grad=False)
case("GuaranteeConst", lambda tf, x: raw(tf, "GuaranteeConst", input=x), normal(2), grad=False)
case("StopGradient", lambda tf, x: tf.stop_gradient(x) * x, normal(3), dtypes=FLOATS)
case("PreventGradient", lambda tf, x: raw(tf, "PreventGradient", input=x), normal(3), grad=False)
case("PlaceholderWithDefault", lambda tf, x: raw(tf, "PlaceholderWithDefault", input=x, shape=[3]), normal(3))
case("EnsureShape", lambda tf, x: tf.ensure_shape(x, [None, 3]), normal(2, 3))
case("Shape", lambda tf, x: tf.shape(x), normal(2, 3))
case("Shape int64", lambda tf, x: tf.shape(x, tf.int64), normal(2, 0, 3))
case("Shape 0d", lambda tf, x: tf.shape(x), normal())
case("ShapeN", lambda tf, x, y: tf.shape_n([x, y]), normal(2, 3), normal(4))
case("Size", lambda tf, x: tf.size(x), normal(2, 3))
case("Size int64", lambda tf, x: tf.size(x, tf.int64), normal(2, 0))
case("Rank", lambda tf, x: tf.rank(x), normal(2, 3, 1))
case("BroadcastArgs", lambda tf, x, y: tf.broadcast_dynamic_shape(tf.shape(x), tf.shape(y)), normal(2, 1), normal(3), grad=False)
case("BroadcastGradientArgs", lambda tf, x, y: raw(tf, "BroadcastGradientArgs", s0=tf.shape(x), s1=tf.shape(y)), normal(2, 1), normal(3),
     grad=False)
case("InvertPermutation", lambda tf, p: tf.math.invert_permutation(p), const([2, 0, 1, 3], "int32"), grad=False)
case("Bitcast", lambda tf, x: tf.bitcast(x, tf.int32), normal(3), grad=False)
case("Bitcast narrower", lambda tf, x: tf.bitcast(x, tf.uint8), normal(2), grad=False)
case("Bitcast wider", lambda tf, x: tf.bitcast(x, tf.int64), const([[1, 2], [3, 4]], "int32"), grad=False)

# --- shapes

case("Reshape", lambda tf, x: tf.reshape(x, [3, 2]), normal(2, 3), dtypes=KINDS)
case("Reshape minus one", lambda tf, x: tf.reshape(x, [2, -1]), normal(2, 2, 3))
case("Reshape flat", lambda tf, x: tf.reshape(x, [-1]), normal(2, 3))
case("Reshape scalar", lambda tf, x: tf.reshape(x, []), normal(1, 1))
case("Reshape by shape", lambda tf, x: tf.reshape(x, [tf.shape(x)[0], -1]), normal(2, 2, 3))
case("Reshape by tensor", lambda tf, x, s: tf.reshape(x, s), normal(2, 6), const([3, 4], "int32"))
case("Reshape empty", lambda tf, x: tf.reshape(x, [3, 0]), normal(0, 2))
case("ExpandDims", lambda tf, x: tf.expand_dims(x, 1), normal(2, 3), dtypes=KINDS)
case("ExpandDims last", lambda tf, x: tf.expand_dims(x, -1), normal())
case("Squeeze", lambda tf, x: tf.squeeze(x), normal(1, 2, 1, 3), dtypes=KINDS)
case("Squeeze axis", lambda tf, x: tf.squeeze(x, [0, -2]), normal(1, 2, 1, 3))
case("Transpose", lambda tf, x: tf.transpose(x), normal(2, 3, 4), dtypes=KINDS)
case("Transpose perm", lambda tf, x: tf.transpose(x, [2, 0, 1]), normal(2, 3, 4))
case("Transpose perm tensor", lambda tf, x, p: tf.transpose(x, p), normal(2, 3, 4), const([1, 2, 0], "int32"))
case("Transpose matrix", lambda tf, x: tf.linalg.matrix_transpose(x), normal(2, 3, 4))
case("ConjugateTranspose", lambda tf, x: tf.transpose(x, conjugate=True), normal(2, 3), dtypes=COMPLEX)
case("BroadcastTo", lambda tf, x: tf.broadcast_to(x, [2, 3, 4]), normal(3, 1), dtypes=KINDS)
case("BroadcastTo shape tensor", lambda tf, x, s: tf.broadcast_to(x, s), normal(3), const([2, 3], "int32"))
case("Tile", lambda tf, x: tf.tile(x, [2, 1, 3]), normal(1, 2, 3), dtypes=KINDS)
case("Tile zero", lambda tf, x: tf.tile(x, [0, 2]), normal(2, 3))
case("Tile repeat", lambda tf, x: tf.repeat(x, 2, axis=0), normal(2, 3))
case("GatherV2 repeat uneven", lambda tf, x: tf.repeat(x, [1, 0, 2], axis=1), normal(2, 3))

# --- joining and splitting

case("Pack", lambda tf, x, y: tf.stack([x, y]), normal(2, 3), normal(2, 3), dtypes=KINDS)
case("Pack axis", lambda tf, x, y: tf.stack([x, y], axis=-1), normal(2, 3), normal(2, 3))
case("Pack scalars", lambda tf, x, y: tf.stack([x, y, 1.0]), normal(), normal())
case("Unpack", lambda tf, x: tf.unstack(x), normal(2, 3), dtypes=KINDS)
case("Unpack axis", lambda tf, x: tf.unstack(x, num=3, axis=1)[1:], normal(2, 3))
case("ConcatV2", lambda tf, x, y: tf.concat([x, y], 0), normal(2, 3), normal(1, 3), dtypes=KINDS)
case("ConcatV2 last", lambda tf, x, y, z: tf.concat([x, y, z], -1), normal(2, 3), normal(2, 0), normal(2, 1))
case("ConcatV2 same tensor", lambda tf, x: tf.concat([x, x], 1), normal(2, 3))
case("Concat", lambda tf, x, y: raw(tf, "Concat", concat_dim=0, values=[x, y]), normal(2, 3), normal(1, 3))
case("ConcatOffset", lambda tf, x, y: raw(tf, "ConcatOffset", concat_dim=0, shape=[tf.shape(x), tf.shape(y)]), normal(2, 3), normal(1, 3), grad=False)
case("ParallelConcat", lambda tf, x, y: raw(tf, "ParallelConcat", values=[x, y], shape=[2, 3]), normal(1, 3), normal(1, 3), grad=False,
     modes=("traced", "compiled"))
case("Split", lambda tf, x: tf.split(x, 3, axis=1), normal(2, 6), dtypes=KINDS)
case("Split one used", lambda tf, x: tf.split(x, 2)[1], normal(4, 2))
case("SplitV", lambda tf, x: tf.split(x, [1, -1, 2], axis=-1), normal(2, 6), dtypes=KINDS)
case("SplitV zero", lambda tf, x: tf.split(x, [0, 4], axis=0), normal(4, 2))
case("ReverseV2", lambda tf, x: tf.reverse(x, [0, -1]), normal(2, 3, 2), dtypes=KINDS)
case("Roll", lambda tf, x: tf.roll(x, [1, -2], [0, 1]), normal(3, 5), dtypes=KINDS)
case("ReverseSequence", lambda tf, x, n: tf.reverse_sequence(x, n, seq_axis=1, batch_axis=0), normal(3, 4, 2), const([1, 4, 2], "int32"))

# --- slices

case("StridedSlice", lambda tf, x: x[1:3], normal(4, 3), dtypes=KINDS)
case("StridedSlice index", lambda tf, x: x[1], normal(4, 3))
case("StridedSlice negative", lambda tf, x: x[-1, ..., -2:], normal(4, 3, 5))
case("StridedSlice step", lambda tf, x: x[::2, ::-1], normal(5, 4))
case("StridedSlice newaxis", lambda tf, x: x[:, tf.newaxis, 1, ...], normal(4, 3, 2))
case("StridedSlice ellipsis", lambda tf, x: x[..., 0], normal(2, 3, 4))
case("StridedSlice tensor index", lambda tf, x, i: x[i, :2], normal(4, 3), const(2, "int32"))
case("StridedSlice tensor bounds", lambda tf, x, i: x[i : i + 2], normal(4, 3), const(1, "int32"))
case("StridedSlice beyond", lambda tf, x: x[2:100, -50:2], normal(4, 3))
case("StridedSlice empty", lambda tf, x: x[3:1], normal(4, 3))
case("StridedSlice backward step", lambda tf, x: x[-1:0:-2], normal(6))
case("StridedSlice function", lambda tf, x: tf.strided_slice(x, [0, 1], [4, 3], [2, 1], begin_mask=1), normal(4, 3))
case("StridedSliceGrad", lambda tf, dy: raw(tf, "StridedSliceGrad", shape=[4, 3], begin=[1, 0], end=[3, 2], strides=[1, 1], dy=dy), normal(2, 2))
case("TensorStridedSliceUpdate", lambda tf, x, v: raw(tf, "TensorStridedSliceUpdate", input=x, begin=[1, 0], end=[3, 2], strides=[1, 1], value=v),
     normal(4, 3), normal(2, 2))
case("Slice", lambda tf, x: tf.slice(x, [1, 0], [2, -1]), normal(4, 3), dtypes=KINDS)
case("Slice tensor begin", lambda tf, x, b: tf.slice(x, b, [2, 2]), normal(4, 3), const([1, 1], "int32"))
case("Pad", lambda tf, x: tf.pad(x, [[1, 0], [2, 1]]), normal(2, 3), dtypes=("float32", "float64", "int32", "complex64"))
case("PadV2", lambda tf, x: tf.pad(x, [[1, 0], [2, 1]], constant_values=1.5), normal(2, 3), dtypes=FLOATS)
for _mode in ("REFLECT", "SYMMETRIC"):
    case(f"MirrorPad {_mode}", lambda tf, x, _m=_mode: tf.pad(x, [[1, 1], [2, 0]], mode=_m), normal(3, 3), dtypes=FLOATS + ("int32",))
    case(f"MirrorPadGrad {_mode}", lambda tf, x, _m=_mode: raw(tf, "MirrorPadGrad", input=x, paddings=[[1, 1], [2, 0]], mode=_m), normal(5, 5))

# --- gather and scatter

case("GatherV2", lambda tf, x: tf.gather(x, [2, 0, 2]), normal(4, 3), dtypes=KINDS)
case("GatherV2 indices", lambda tf, x, i: tf.gather(x, i), normal(4, 3), ints(0, 4, 2, 2))
case("GatherV2 axis", lambda tf, x, i: tf.gather(x, i, axis=-1), normal(2, 3), ints(0, 3, 4, dtype="int64"))
case("GatherV2 batch", lambda tf, x, i: tf.gather(x, i, batch_dims=1, axis=2), normal(2, 3, 4), ints(0, 4, 2, 5))
case("GatherV2 0d", lambda tf, x: tf.gather(x, 1, axis=1), normal(2, 3))
case("GatherV2 empty", lambda tf, x, i: tf.gather(x, i), normal(4, 3), ints(0, 4, 0))
case("GatherV2 lookup", lambda tf, x, i: tf.nn.embedding_lookup(x, i), normal(6, 2), ints(0, 6, 3, 2))
case("Gather", lambda tf, x, i: raw(tf, "Gather", params=x, indices=i), normal(4, 3), ints(0, 4, 2))
case("GatherNd", lambda tf, x: tf.gather_nd(x, [[0, 1], [2, 0]]), normal(3, 2, 2), dtypes=KINDS)
case("GatherNd rows", lambda tf, x, i: tf.gather_nd(x, i), normal(3, 2), ints(0, 3, 2, 2, 1))
case("GatherNd batch", lambda tf, x: tf.gather_nd(x, [[[0]], [[1]]], batch_dims=1), normal(2, 2, 3))
case("ScatterNd", lambda tf, u: tf.scatter_nd([[1], [3], [1]], u, [5, 2]), normal(3, 2), dtypes=FLOATS + INTS)
case("ScatterNd points", lambda tf, i, u: tf.scatter_nd(i, u, [3, 3]), const([[0, 1], [2, 2]], "int32"), normal(2))
case("ScatterNdNonAliasingAdd", lambda tf, x, u: raw(tf, "ScatterNdNonAliasingAdd", input=x, indices=[[1], [3]], updates=u), normal(4), normal(2))
for _op, _name in (("Update", "update"), ("Add", "add"), ("Sub", "sub"), ("Max", "max"), ("Min", "min")):
    case(f"TensorScatter{_op}", lambda tf, x, u, _n=_name: getattr(tf, f"tensor_scatter_nd_{_n}")(x, [[3], [0]], u), normal(4, 2), normal(2, 2),
         dtypes=FLOATS + INTS)
case("TensorScatterAdd repeated", lambda tf, x, u: tf.tensor_scatter_nd_add(x, [[1], [1], [2]], u), normal(4), normal(3))
case("TensorScatterMax ties", lambda tf, x, u: tf.tensor_scatter_nd_max(x, [[1], [1], [2]], u), const([1.0, 2.0, 3.0, 4.0]), const([2.0, 2.0, 3.0]))
case("OneHot", lambda tf, i: tf.one_hot(i, 4), const([0, 2, 3, -1, 7], "int32"))
case("OneHot axis", lambda tf, i: tf.one_hot(i, 3, on_value=5, off_value=-1, axis=0, dtype=tf.int64), ints(0, 3, 2, 2))
case("OneHot uint8", lambda tf, i: tf.one_hot(i, 3, axis=1), ints(0, 3, 2, 2, dtype="uint8"))
case("Where", lambda tf, c: tf.where(c), bools(3, 4))
case("Where numbers", lambda tf, x: tf.where(x), zeros(3, 4))
case("Where boolean_mask", lambda tf, x: tf.boolean_mask(x, [True, False, True]), normal(3, 2))
case("Where boolean_mask tensor", lambda tf, x, m: tf.boolean_mask(x, m, axis=1), normal(2, 4), const([True, False, False, True], "bool"))
case("Less sequence_mask", lambda tf, n: tf.sequence_mask(n, 4), const([1, 3, 0], "int32"))
case("DynamicPartition", lambda tf, x: tf.dynamic_partition(x, [0, 1, 0, 2], 3), normal(4, 2))
case("DynamicStitch", lambda tf, x, y: tf.dynamic_stitch([[0, 2], [1, 3]], [x, y]), normal(2, 2), normal(2, 2))

# --- order

case("TopKV2", lambda tf, x: tf.math.top_k(x, 2), distinct(3, 4), dtypes=FLOATS + INTS)
case("TopKV2 ties", lambda tf, x: tf.math.top_k(x, 3), ties(2, 5))
case("TopKV2 tensor k", lambda tf, x, k: tf.math.top_k(x, k)[0], distinct(6), const(2, "int32"))
case("TopK", lambda tf, x: raw(tf, "TopK", input=x, k=2), distinct(3, 4), reference=lambda tf, x: tf.math.top_k(x, 2))
case("TopKV2 sort", lambda tf, x: tf.sort(x, direction="DESCENDING"), distinct(3, 4), dtypes=FLOATS + INTS)
case("TopKV2 sort ascending", lambda tf, x: tf.sort(x, axis=0), distinct(3, 4), dtypes=FLOATS + INTS)
case("TopKV2 argsort", lambda tf, x: tf.argsort(x, stable=True), ties(2, 5), dtypes=FLOATS + INTS)
case("LowerBound", lambda tf, s, v: tf.searchsorted(s, v), const([1.0, 2.0, 2.0, 3.0]), const([0.0, 2.0, 2.5, 9.0]), dtypes=FLOATS + INTS)
case("UpperBound", lambda tf, s, v: tf.searchsorted(s, v, side="right", out_type=tf.int64), const([1.0, 2.0, 2.0, 3.0]), const([0.0, 2.0, 2.5, 9.0]))
case("Unique", lambda tf, x: tf.unique(x), ties(6), dtypes=FLOATS + INTS, grad=False)
case("UniqueWithCounts", lambda tf, x: tf.unique_with_counts(x), ties(6), grad=False)
case("UniqueV2", lambda tf, x: raw(tf, "UniqueV2", x=x, axis=[0]), const([[1, 2], [3, 4], [1, 2]], "int32"), grad=False)
case("UniqueWithCountsV2", lambda tf, x: raw(tf, "UniqueWithCountsV2", x=x, axis=[0]), const([[1, 2], [3, 4], [1, 2]], "int32"), grad=False)
case("ListDiff", lambda tf, x, y: raw(tf, "ListDiff", x=x, y=y), const([1, 2, 3, 4, 2], "int32"), const([2, 9], "int32"), grad=False)

# --- creation

case("Fill", lambda tf, v: tf.fill([2, 3], v), normal(), dtypes=KINDS)
case("Fill dims tensor", lambda tf, d, v: tf.fill(d, v), const([2, 2], "int32"), normal())
case("Empty", lambda tf: raw(tf, "Empty", shape=[2, 3], dtype=tf.float32, init=True), grad=False)
case("ZerosLike", lambda tf, x: tf.zeros_like(x), normal(2, 3), dtypes=KINDS)
case("OnesLike", lambda tf, x: tf.ones_like(x), normal(2, 3), dtypes=KINDS)
case("Fill ones_like dtype", lambda tf, x: tf.ones_like(x, dtype=tf.int32), normal(2, 3))
case("Fill zeros by shape", lambda tf, x: tf.zeros([tf.shape(x)[0], 3]), normal(2, 5))
case("Range", lambda tf: tf.range(5), grad=False)
case("Range floats", lambda tf: tf.range(1.0, 2.0, 0.25), grad=False)
case("Range down", lambda tf: tf.range(5, 0, -2), grad=False)
case("Range tensor", lambda tf, n: tf.range(n), const(4, "int32"), grad=False)
case("Range bfloat16", lambda tf: tf.range(0, 4, dtype=tf.bfloat16), grad=False)
case("LinSpace", lambda tf, a, b: raw(tf, "LinSpace", start=a, stop=b, num=5), const(0.0), const(2.0), dtypes=FLOATS, grad=False)
case("Range linspace", lambda tf, a, b: tf.linspace(a, b, 5), const(0.0), const(2.0), dtypes=FLOATS, grad=False)
case("Range linspace one", lambda tf, a, b: tf.linspace(a, b, 1), const(0.0), const(2.0), grad=False)
case("Range linspace axis", lambda tf, a, b: tf.linspace(a, b, 3, axis=-1), normal(2), positive(2), grad=False)
case("Const", lambda tf, x: x + tf.constant([[1, 2], [3, 4]], x.dtype), normal(2, 2), dtypes=FLOATS + INTS)
case("Const eye", lambda tf, x: x + tf.eye(2, 3, dtype=x.dtype), normal(2, 3), dtypes=FLOATS)
case("Const meshgrid", lambda tf, x, y: tf.meshgrid(x, y, indexing="ij"), normal(2), normal(3))

# --- blocks

case("SpaceToDepth", lambda tf, x: tf.nn.space_to_depth(x, 2), normal(1, 4, 4, 2), dtypes=FLOATS)
case("DepthToSpace", lambda tf, x: tf.nn.depth_to_space(x, 2), normal(1, 2, 2, 8), dtypes=FLOATS)
case("SpaceToBatchND", lambda tf, x: tf.space_to_batch(x, [2, 2], [[0, 0], [1, 1]]), normal(1, 4, 2, 1), dtypes=FLOATS)
case("BatchToSpaceND", lambda tf, x: tf.batch_to_space(x, [2, 2], [[0, 0], [1, 0]]), normal(4, 2, 2, 1), dtypes=FLOATS)
case("UnravelIndex", lambda tf, i: tf.unravel_index(i, [2, 3, 4]), const([5, 13, 23], "int32"), grad=False)
case("ParallelDynamicStitch", lambda tf, x, y: raw(tf, "ParallelDynamicStitch", indices=[[0, 2], [1, 3]], data=[x, y]), normal(2, 2), normal(2, 2))
case("EditDistance", lambda tf, h, t: raw(tf, "EditDistance", hypothesis_indices=[[0, 0], [0, 1], [1, 0]], hypothesis_values=h, hypothesis_shape=[2, 2],
                                          truth_indices=[[0, 0], [1, 0], [1, 1]], truth_values=t, truth_shape=[2, 2], normalize=True),
     const([1, 2, 3], "int32"), const([1, 3, 4], "int32"), grad=False)
