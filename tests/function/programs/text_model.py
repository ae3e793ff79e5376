"""Text: vocabulary tables, id sequences, padding, one-step generation with masks and temperature, n-grams."""
import numpy as np
import tensorflow as tf

chars = sorted(set("hello world"))
table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(chars, tf.range(1, len(chars) + 1)), 0)
back = tf.constant([""] + chars)


@tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
def encode(texts):
    split = tf.strings.unicode_split(texts, "UTF-8")
    ids = tf.ragged.map_flat_values(table.lookup, split)
    return ids.to_tensor(), ids.row_lengths()


ids, n = encode(["hello", "wor"])
print(ids.numpy().tolist(), n.numpy())


@tf.function
def decode(ids):
    return tf.strings.reduce_join(tf.gather(back, ids), axis=-1)


print(decode(ids).numpy().tolist())


@tf.function
def bigrams(text):
    t = tf.strings.lower(text)
    t = tf.strings.regex_replace(t, "[^a-z ]", "")
    words = tf.strings.split([t])
    return tf.strings.ngrams(words, 2, separator="_").flat_values


print(bigrams(tf.constant("The Cat, sat on!")).numpy().tolist())
logits = tf.constant(np.random.RandomState(0).randn(len(chars) + 1, len(chars) + 1).astype("float32"))


@tf.function
def one_step(ids, temperature, seed):
    x = tf.gather(logits, ids[:, -1]) / temperature
    mask = tf.tensor_scatter_nd_update(tf.zeros([len(chars) + 1]), [[0]], [-np.inf])
    nxt = tf.random.stateless_categorical(x + mask, 1, seed, dtype=tf.int32)
    return tf.concat([ids, nxt], axis=1)


seq = tf.constant([[1], [2]])
for i in range(4):
    seq = one_step(seq, 0.7, tf.constant([i, 1]))
print(seq.numpy().tolist(), decode(seq).shape, one_step.experimental_get_tracing_count())


@tf.function
def greedy(start, n):
    out = tf.TensorArray(tf.int32, size=n)
    cur = start
    for i in tf.range(n):
        cur = tf.argmax(tf.gather(logits, cur)[1:], output_type=tf.int32) + 1
        out = out.write(i, cur)
    return decode(out.stack())


print(greedy(tf.constant(3), 5).shape)


@tf.function
def count_words(texts):
    words = tf.strings.split(texts).flat_values
    y, idx, count = tf.unique_with_counts(words)
    order = tf.argsort(count, direction="DESCENDING", stable=True)
    return tf.gather(y, order), tf.gather(count, order)


w, c = count_words(tf.constant(["a b a", "c a b"]))
print(w.numpy().tolist(), c.numpy())
