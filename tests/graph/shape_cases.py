"""Functions traced on partly unknown shapes: name, expression, specs of the arguments.

A spec is a shape (`None` for unknown rank), or a shape and a dtype; float32 otherwise. `tools/golden/shapes.py`
records what TensorFlow
infers for the outputs, `test_static_shapes.py` compares.
"""
# ruff: noqa: E501 - a case is one line

from __future__ import annotations

CASES: dict = {}


def case(name, expression, *specs):
    assert name not in CASES, name
    CASES[name] = (expression, [s if isinstance(s, tuple) and len(s) == 2 and isinstance(s[1], str) else (s, "float32") for s in specs])


B3, X, I = [None, 3], [None, 4, 6], "int32"

# --- reshape
case("reshape by tensor", lambda tf, x, s: tf.reshape(x, s), B3, ([2], I))
case("reshape by vector of unknown length", lambda tf, x, s: tf.reshape(x, s), B3, ([None], I))
case("reshape batch, rest", lambda tf, x: tf.reshape(x, [tf.shape(x)[0], -1]), X)
case("reshape batch, 2, 2", lambda tf, x: tf.reshape(x, [tf.shape(x)[0], 2, 12]), X)
case("reshape flat", lambda tf, x: tf.reshape(x, [-1]), X)
case("reshape flat known", lambda tf, x: tf.reshape(x, [-1]), [2, 3])
case("reshape last", lambda tf, x: tf.reshape(x, [-1, 6]), X)
case("reshape to shape of other", lambda tf, x, y: tf.reshape(x, tf.shape(y)), [None], B3)
case("reshape concat of shapes", lambda tf, x: tf.reshape(x, tf.concat([tf.shape(x)[:1], [2, 12]], 0)), X)
case("reshape keep front", lambda tf, x: tf.reshape(x, tf.concat([tf.shape(x)[:-1], [2, 3]], 0)), X)
case("reshape unknown rank", lambda tf, x: tf.reshape(x, [-1, 5]), None)
case("reshape product", lambda tf, x: tf.reshape(x, [tf.shape(x)[0] * tf.shape(x)[1], 6]), X)
case("reshape stacked dims", lambda tf, x: tf.reshape(x, tf.stack([tf.shape(x)[0], 24])), X)
case("reshape batch halved", lambda tf, x: tf.reshape(x, [tf.shape(x)[0] // 2, 2, 24]), X)
case("reshape by size", lambda tf, x: tf.reshape(x, [tf.size(x)]), [2, 3])

# --- slices
case("slice :5", lambda tf, x: x[:5], [None])
case("slice -5:", lambda tf, x: x[-5:], [None])
case("slice ::20", lambda tf, x: x[::20], [None])
case("slice known ::20", lambda tf, x: x[::20], [100])
case("slice known :5", lambda tf, x: x[:5], [100, None])
case("slice index", lambda tf, x: x[0], X)
case("slice by tensor", lambda tf, x, i: x[i], X, ([], I))
case("slice by tensor range", lambda tf, x, i: x[:, i:], X, ([], I))
case("slice newaxis ellipsis", lambda tf, x: x[:, tf.newaxis, ..., 0], X)
case("slice ellipsis", lambda tf, x: x[..., 1:3], [None, None, 6])
case("slice reversed", lambda tf, x: x[:, ::-1], X)
case("slice negative", lambda tf, x: x[:, :-1, -2:], X)
case("slice unknown rank", lambda tf, x: x[0], None)
case("slice unknown rank ellipsis", lambda tf, x: x[..., 0], None)
case("slice newaxis unknown rank", lambda tf, x: x[tf.newaxis], None)
case("slice beyond", lambda tf, x: x[:, 2:100], X)
case("tf.slice", lambda tf, x: tf.slice(x, [0, 1, 0], [-1, 2, -1]), X)
case("tf.slice by tensor", lambda tf, x, n: tf.slice(x, [0, 0, 0], tf.stack([n, 2, -1])), X, ([], I))
case("shape slice", lambda tf, x: tf.shape(x)[1:], X)
case("shape unknown rank", lambda tf, x: tf.shape(x), None)
case("shape slice unknown rank", lambda tf, x: tf.shape(x)[1:], None)
case("fill shape slice", lambda tf, x: tf.zeros(tf.shape(x)[1:]), X)

# --- joining, splitting
case("split", lambda tf, x: tf.split(x, 2, axis=1), X)
case("split unknown", lambda tf, x: tf.split(x, 2, axis=0), X)
case("split sizes", lambda tf, x: tf.split(x, [1, -1], axis=1), X)
case("split sizes unknown", lambda tf, x: tf.split(x, [1, -1], axis=0), X)
case("concat", lambda tf, x, y: tf.concat([x, y], 0), B3, [2, 3])
case("concat last", lambda tf, x, y: tf.concat([x, y], -1), B3, [5, 2])
case("concat unknown rank", lambda tf, x, y: tf.concat([x, y], 0), None, B3)
case("concat all unknown", lambda tf, x, y: tf.concat([x, y], 0), None, None)
case("concat axis tensor", lambda tf, x, y, a: tf.concat([x, y], a), B3, B3, ([], I))
case("stack", lambda tf, x, y: tf.stack([x, y], 1), B3, [2, 3])
case("stack unknown rank", lambda tf, x, y: tf.stack([x, y]), None, None)
case("unstack", lambda tf, x: tf.unstack(x, axis=1), B3)
case("squeeze", lambda tf, x: tf.squeeze(x), [None, 1, 3])
case("squeeze axis", lambda tf, x: tf.squeeze(x, 1), [None, 1, 3])
case("squeeze axis unknown dim", lambda tf, x: tf.squeeze(x, 0), [None, 1, 3])
case("expand_dims", lambda tf, x: tf.expand_dims(x, -1), B3)
case("expand_dims unknown rank", lambda tf, x: tf.expand_dims(x, 0), None)
case("tile", lambda tf, x: tf.tile(x, [2, 3]), B3)
case("tile by tensor", lambda tf, x, n: tf.tile(x, [1, n]), B3, ([], I))
case("tile by batch", lambda tf, x: tf.tile([[1.0, 2.0]], [tf.shape(x)[0], 1]), B3)
case("repeat", lambda tf, x: tf.repeat(x, 3, axis=1), B3)
case("pad", lambda tf, x: tf.pad(x, [[0, 0], [1, 2]]), B3)
case("pad by tensor", lambda tf, x, n: tf.pad(x, [[0, n], [1, 2]]), B3, ([], I))
case("pad unknown rank", lambda tf, x: tf.pad(x, [[0, 0], [1, 2]]), None)
case("reverse", lambda tf, x: tf.reverse(x, [1]), X)
case("roll", lambda tf, x: tf.roll(x, 1, 0), X)

# --- gather, one_hot, where
case("gather", lambda tf, x, i: tf.gather(x, i), B3, ([None, 5], I))
case("gather axis", lambda tf, x, i: tf.gather(x, i, axis=1), X, ([None], I))
case("gather batch", lambda tf, x, i: tf.gather(x, i, batch_dims=1, axis=1), X, ([None, 2], I))
case("gather_nd", lambda tf, x, i: tf.gather_nd(x, i), X, ([None, 2], I))
case("gather_nd unknown", lambda tf, x, i: tf.gather_nd(x, i), X, ([None, None], I))
case("scatter_nd", lambda tf, i, u, x: tf.scatter_nd(i, u, tf.shape(x)), ([None, 1], I), B3, B3)
case("one_hot", lambda tf, i: tf.one_hot(i, 10), ([None, 4], I))
case("one_hot axis", lambda tf, i: tf.one_hot(i, 10, axis=1), ([None, 4], I))
case("one_hot depth tensor", lambda tf, i, n: tf.one_hot(i, n), ([None], I), ([], I))
case("where", lambda tf, x, y: tf.where(x > 0, x, y), B3, [3])
case("where indices", lambda tf, x: tf.where(x > 0), B3)
case("where unknown rank", lambda tf, x, y: tf.where(x > 0, x, y), None, B3)
case("boolean_mask", lambda tf, x, m: tf.boolean_mask(x, m), B3, ([None], "bool"))
case("top_k", lambda tf, x: list(tf.math.top_k(x, 2)), B3)
case("top_k tensor", lambda tf, x, k: tf.math.top_k(x, k)[0], B3, ([], I))
case("unique", lambda tf, x: tf.unique(x)[0], [None])
case("argmax", lambda tf, x: tf.argmax(x, -1), X)

# --- creation
case("zeros by batch", lambda tf, x: tf.zeros([tf.shape(x)[0], 3]), X)
case("zeros by dims", lambda tf, x: tf.zeros([x.shape[1], tf.shape(x)[0], 7]), X)
case("ones_like", lambda tf, x: tf.ones_like(x), X)
case("fill by shape", lambda tf, x: tf.fill(tf.shape(x), 1.0), X)
case("fill unknown", lambda tf, s: tf.fill(s, 1.0), ([3], I))
case("range tensor", lambda tf, n: tf.range(n), ([], I))
case("range batch", lambda tf, x: tf.range(tf.shape(x)[0]), X)
case("range known dim", lambda tf, x: tf.range(tf.shape(x)[1]), X)
case("range constant", lambda tf: tf.range(2, 10, 3))
case("linspace", lambda tf, a: tf.linspace(a, 1.0, 5), [])
case("random by batch", lambda tf, x: tf.random.normal([tf.shape(x)[0], 3]), X)
case("eye by batch", lambda tf, x: tf.eye(tf.shape(x)[1]), X)
case("eye by unknown", lambda tf, x: tf.eye(tf.shape(x)[0], 3), X)
case("sequence_mask", lambda tf, n: tf.sequence_mask(n, 5), ([None], I))
case("sequence_mask unknown", lambda tf, n: tf.sequence_mask(n), ([None], I))

# --- arithmetic
case("broadcast row", lambda tf, x, y: x + y, B3, [3])
case("broadcast unknown with one", lambda tf, x, y: x + y, B3, [1, 3])
case("broadcast unknown with two", lambda tf, x, y: x + y, B3, [2, 3])
case("broadcast both unknown", lambda tf, x, y: x + y, B3, [None, 3])
case("broadcast unknown rank", lambda tf, x, y: x + y, None, B3)
case("broadcast scalar unknown rank", lambda tf, x: x * 2.0, None)
case("broadcast_to", lambda tf, x, y: tf.broadcast_to(x, tf.shape(y)), [3], B3)
case("broadcast_to partly", lambda tf, x: tf.broadcast_to([1.0, 2.0], [tf.shape(x)[0], 2]), B3)
case("transpose", lambda tf, x: tf.transpose(x), X)
case("transpose perm", lambda tf, x: tf.transpose(x, [1, 0, 2]), X)
case("transpose unknown rank", lambda tf, x: tf.transpose(x), None)
case("transpose perm unknown rank", lambda tf, x: tf.transpose(x, [1, 0]), None)
case("matmul", lambda tf, x, y: tf.matmul(x, y), B3, [3, None])
case("matmul transposed", lambda tf, x, y: tf.matmul(x, y, transpose_b=True), B3, [5, 3])
case("matmul batch", lambda tf, x, y: tf.matmul(x, y), X, [6, 2])
case("matmul batch unknown", lambda tf, x, y: tf.matmul(x, y), [None, None, 4, 6], [None, 1, 6, 2])
case("matmul unknown rank", lambda tf, x, y: tf.matmul(x, y), None, [3, 2])
case("einsum", lambda tf, x, y: tf.einsum("bij,jk->bik", x, y), X, [6, 2])
case("tensordot", lambda tf, x, y: tf.tensordot(x, y, 1), X, [6, 2])
case("reduce all", lambda tf, x: tf.reduce_sum(x), X)
case("reduce axis", lambda tf, x: tf.reduce_sum(x, 1), X)
case("reduce keepdims", lambda tf, x: tf.reduce_sum(x, [0, 2], keepdims=True), X)
case("reduce axis tensor", lambda tf, x, a: tf.reduce_sum(x, a), X, ([], I))
case("reduce axis tensor keepdims", lambda tf, x, a: tf.reduce_sum(x, a, keepdims=True), X, ([], I))
case("reduce unknown rank", lambda tf, x: tf.reduce_sum(x), None)
case("reduce unknown rank axis", lambda tf, x: tf.reduce_sum(x, 0), None)
case("cumsum", lambda tf, x: tf.cumsum(x, 1), X)
case("cast", lambda tf, x: tf.cast(x, tf.int32), X)
case("softmax cross entropy", lambda tf, y, x: tf.nn.sparse_softmax_cross_entropy_with_logits(y, x), ([None], I), [None, 10])
case("segment sum", lambda tf, x, i: tf.math.unsorted_segment_sum(x, i, 5), X, ([None], I))
case("segment sum tensor", lambda tf, x, i, n: tf.math.unsorted_segment_sum(x, i, n), X, ([None], I), ([], I))

# --- images
IMAGE = [None, None, None, 3]
case("conv2d", lambda tf, x: tf.nn.conv2d(x, tf.zeros([3, 3, 3, 8]), 1, "SAME"), IMAGE)
case("conv2d strided", lambda tf, x: tf.nn.conv2d(x, tf.zeros([3, 3, 3, 8]), 2, "VALID"), [None, 32, 32, 3])
case("max_pool", lambda tf, x: tf.nn.max_pool2d(x, 2, 2, "VALID"), [None, 31, None, 3])
case("avg_pool", lambda tf, x: tf.nn.avg_pool2d(x, 2, 2, "SAME"), [None, 31, None, 3])
case("conv2d_transpose", lambda tf, x: tf.nn.conv2d_transpose(x, tf.zeros([3, 3, 8, 3]), [tf.shape(x)[0], 16, 16, 8], 2), [None, 8, 8, 3])
case("depth_to_space", lambda tf, x: tf.nn.depth_to_space(x, 2), [None, 8, None, 12])
case("bias_add", lambda tf, x, b: tf.nn.bias_add(x, b), [None, None], [5])
case("batch norm", lambda tf, x: tf.nn.moments(x, [0, 1, 2]), IMAGE)

# --- control flow, functions
case("cond equal", lambda tf, c, x: tf.cond(c, lambda: x + 1.0, lambda: x), ([], "bool"), B3)
case("cond unequal", lambda tf, c, x: tf.cond(c, lambda: x[:2], lambda: x[:, :3]), ([], "bool"), B3)
case("cond ranks", lambda tf, c, x: tf.cond(c, lambda: x, lambda: tf.reduce_sum(x)), ([], "bool"), B3)
case("while", lambda tf, x: tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * 2.0), [tf.constant(0), x])[1], B3)
case("while growing", lambda tf, x: tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, tf.concat([y, y], 0)), [tf.constant(0), x],
                                                  shape_invariants=[tf.TensorShape([]), tf.TensorShape([None, 3])])[1], [2, 3])
case("map_fn", lambda tf, x: tf.map_fn(lambda row: row[:2], x), B3)
case("function call", lambda tf, x: tf.function(lambda y: tf.reshape(y, [tf.shape(y)[0], -1]))(x), X)
case("ensure_shape", lambda tf, x: tf.ensure_shape(x, [None, 7]), None)
case("set by placeholder", lambda tf, x: tf.identity(x), None)
