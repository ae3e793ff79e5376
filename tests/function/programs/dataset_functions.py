"""Datasets inside functions, functions inside datasets: captured variables, stateful maps, windows, reduce, interleave, cache."""
import numpy as np
import tensorflow as tf

v = tf.Variable(10, dtype=tf.int64)
ds = tf.data.Dataset.range(5).map(lambda x: x + v)
print(list(ds.as_numpy_iterator()))
v.assign(100)
print([int(x) for x in ds])


@tf.function
def total(n):
    ds = tf.data.Dataset.range(n).filter(lambda x: x % 2 == 0).map(lambda x: x * v)
    return ds.reduce(np.int64(0), lambda a, x: a + x)


print(int(total(6)), int(total(tf.constant(7, tf.int64))))


@tf.function
def windows(x, size):
    ds = tf.data.Dataset.from_tensor_slices(x).window(3, shift=1, drop_remainder=True).flat_map(lambda w: w.batch(3))
    out = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
    i = 0
    for w in ds:
        out = out.write(i, tf.reduce_mean(w))
        i += 1
    return out.stack()


print(windows(tf.range(6.0), 3).numpy())


@tf.function
def parse(line):
    parts = tf.strings.split(line, ",")
    return {"id": tf.strings.to_number(parts[0], tf.int32), "name": parts[1]}


for row in tf.data.Dataset.from_tensor_slices(["1,ann", "2,bob"]).map(parse):
    print(int(row["id"]), row["name"].numpy())
ds = tf.data.Dataset.range(1, 4).interleave(lambda x: tf.data.Dataset.from_tensors(x).repeat(2), cycle_length=2)
print([int(x) for x in ds])
it = iter(tf.data.Dataset.range(3).repeat())


@tf.function
def take(k):
    acc = tf.constant(0, tf.int64)
    for _ in range(k):
        acc = acc * 10 + next(it)
    return acc


print(int(take(3)), int(take(2)))


@tf.function
def until_end(it):
    n = 0
    opt = it.get_next_as_optional()
    while opt.has_value():
        n += 1
        opt = it.get_next_as_optional()
    return n


print(int(until_end(iter(tf.data.Dataset.range(4)))))
padded = tf.data.Dataset.from_generator(lambda: ([1] * n for n in (1, 3)), output_signature=tf.TensorSpec([None], tf.int32))
print([b.numpy().tolist() for b in padded.padded_batch(2)])
ds = tf.data.Dataset.from_tensor_slices([1, 2, 3, 4, 5]).scan(0, lambda s, x: (s + x, s + x)).take_while(lambda x: x < 12)
print([int(x) for x in ds])


@tf.function
def mixed(ds):
    best = tf.constant(-1.0)
    for x, y in ds:
        if y > best:
            best = y
        elif tf.equal(y, best):
            continue
    return best


print(float(mixed(tf.data.Dataset.from_tensor_slices(([1, 2, 3], [0.5, 2.5, 1.0])))))
