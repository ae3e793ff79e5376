"""Embeddings: IndexedSlices from gather, scatter updates, SparseTensor arguments, sampled rows, sparse matmul, segment ops."""
import numpy as np
import tensorflow as tf

table = tf.Variable(np.arange(10, dtype="float32").reshape(5, 2))


@tf.function
def step(ids):
    with tf.GradientTape() as tape:
        e = tf.nn.embedding_lookup(table, ids)
        loss = tf.reduce_sum(e**2)
    g = tape.gradient(loss, table)
    print("gradient is", type(g).__name__)
    table.scatter_sub(tf.IndexedSlices(0.1 * g.values, g.indices))
    return loss, tf.convert_to_tensor(g)


loss, dense = step(tf.constant([0, 3, 3]))
print(float(loss), dense.numpy().tolist())
print(np.round(table.numpy(), 3).tolist())


@tf.function
def bag(sp, weights):
    return tf.nn.embedding_lookup_sparse(table, sp, weights, combiner="mean")


sp = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [1, 2, 4], [2, 2])
print(np.round(bag(sp, None).numpy(), 3).tolist())


@tf.function(input_signature=[tf.SparseTensorSpec([None, None], tf.float32), tf.TensorSpec([None, None], tf.float32)])
def spmm(a, b):
    return tf.sparse.sparse_dense_matmul(a, b), tf.sparse.reduce_sum(a, 1), a * 2.0


a = tf.sparse.from_dense([[1.0, 0.0], [0.0, 3.0], [2.0, 0.0]])
y, s, d = spmm(a, tf.constant([[1.0, 2.0], [3.0, 4.0]]))
print(y.numpy().tolist(), s.numpy(), tf.sparse.to_dense(d).numpy().tolist())


@tf.function
def pooled(x, graph_ids):
    n = tf.reduce_max(graph_ids) + 1
    return tf.math.segment_mean(x, graph_ids), tf.math.unsorted_segment_max(x, graph_ids, n)


m, u = pooled(tf.constant([[1.0], [2.0], [5.0]]), tf.constant([0, 0, 1]))
print(m.numpy().ravel(), u.numpy().ravel())


@tf.function
def message_passing(x, senders, receivers, w):
    for _ in range(2):
        messages = tf.gather(x, senders) @ w
        x = tf.nn.relu(tf.math.unsorted_segment_sum(messages, receivers, tf.shape(x)[0]) + x)
    return x


out = message_passing(tf.eye(3), tf.constant([0, 1, 2]), tf.constant([1, 2, 0]), tf.ones([3, 3]) * 0.5)
print(np.round(out.numpy(), 3).tolist())
