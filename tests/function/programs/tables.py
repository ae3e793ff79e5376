"""Lookup tables inside functions: made once, filled from tensors, mutable ones that count, in datasets and in modules."""
import tensorflow as tf


@tf.function
def inside(k):
    t = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(tf.constant(["a", "b"]), tf.range(2) + 1), -1)
    return t.lookup(k), t.size()


print([x.numpy().tolist() for x in inside(tf.constant(["b", "c"]))])


@tf.function
def from_argument(k):
    t = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(k, tf.range(2)), -1)
    return t.lookup(k)


print(from_argument(tf.constant(["a", "z"])).numpy(), from_argument(tf.constant(["b", "z"])).numpy())


@tf.function
def counting(words):
    with tf.init_scope():
        if not tables:
            tables.append(tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, 0))
    table = tables[0]
    for w in words:
        table.insert([w], table.lookup([w]) + 1)
    return table.size()


tables = []
print(int(counting(tf.constant(["x", "y", "x"]))), int(counting(tf.constant(["z", "x"]))))
keys, values = tables[0].export()
print(sorted(zip(keys.numpy().tolist(), values.numpy().tolist())))


@tf.function
def dense(k, v):
    t = tf.lookup.experimental.DenseHashTable(tf.int64, tf.float32, default_value=-1.0, empty_key=-1, deleted_key=-2)
    t.insert(k, v)
    return t.lookup(tf.constant([1, 2], tf.int64))


print(dense(tf.constant([1], tf.int64), tf.constant([4.0])).numpy())
vocab = tf.lookup.StaticVocabularyTable(
    tf.lookup.KeyValueTensorInitializer(["x", "y"], tf.constant([0, 1], tf.int64)), num_oov_buckets=2
)
ds = tf.data.Dataset.from_tensor_slices(["x", "y", "qq"]).map(vocab.lookup)
print([int(i) for i in ds][:2], int(vocab.size()))


@tf.function(input_signature=[tf.RaggedTensorSpec([None, None], tf.string)])
def ids(rt):
    return vocab.lookup(rt)


print(ids(tf.ragged.constant([["y"], ["x", "y"]])).to_list())


@tf.function
def remove(k):
    tables[0].remove(k)
    return tables[0][tf.constant(["x", "y"])]


print(remove(tf.constant(["x"])).numpy())
