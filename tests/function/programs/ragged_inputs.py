"""Ragged tensors through functions: specs, retracing, ragged results of map_fn, gradients."""
import tensorflow as tf


@tf.function(input_signature=[tf.RaggedTensorSpec([None, None], tf.float32)])
def mean_rows(rt):
    print("tracing")
    return tf.reduce_mean(rt, axis=1), rt.row_lengths(), rt.to_tensor(-1.0)


for rows in ([[1.0, 2.0], [3.0]], [[4.0], [], [1.0, 2.0, 3.0]]):
    m, n, d = mean_rows(tf.ragged.constant(rows, dtype=tf.float32))
    print(m.numpy().tolist()[:1], n.numpy(), d.shape)


@tf.function
def tokens(texts):
    words = tf.strings.split(texts)
    ids = tf.strings.to_hash_bucket_fast(words, 7)
    return words, tf.ragged.boolean_mask(ids, ids > 2), tf.strings.reduce_join(words, axis=1, separator="-")


w, i, j = tokens(tf.constant(["the quick fox", "", "jumps over"]))
print(w.to_list(), i.row_lengths().numpy(), j.numpy())


@tf.function
def triangles(n):
    return tf.map_fn(lambda k: tf.range(k), n, fn_output_signature=tf.RaggedTensorSpec([None], tf.int32))


print(triangles(tf.constant([2, 0, 3])))
x = tf.constant([1.0, 2.0, 3.0, 4.0])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.reduce_sum(mean_rows(tf.RaggedTensor.from_row_lengths(x, [1, 3]))[0] ** 2)
print(tape.gradient(y, x).numpy())


@tf.function
def rows_loop(rt):
    total = 0
    for row in rt:
        total += tf.size(row) * tf.reduce_sum(row)
    return total


print(int(rows_loop(tf.ragged.constant([[1, 2], [], [3]]))))
