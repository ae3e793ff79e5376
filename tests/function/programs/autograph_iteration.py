"""Iteration in converted code: enumerate, zip, ranges with steps, iterators, generators' results, comprehensions, else, nested breaks."""
import tensorflow as tf


@tf.function
def pairs(a, b):
    out = tf.TensorArray(tf.int32, size=0, dynamic_size=True)
    for i, (p, q) in enumerate(zip(tf.unstack(a), tf.unstack(b))):
        out = out.write(i, p * q)
    return out.stack()


print(pairs(tf.constant([1, 2]), tf.constant([3, 4])).numpy())


@tf.function
def over_iterator(it, n):
    s = tf.constant(0, tf.int64)
    for _ in tf.range(n):
        s += next(it)
    return s


it = iter(tf.data.Dataset.range(100))
print(int(over_iterator(it, 3)), int(over_iterator(it, 3)), int(next(it)))


@tf.function
def dataset_break(ds):
    found = tf.constant(-1, tf.int64)
    for i, x in ds.enumerate():
        if x > 10:
            found = i
            break
    return found


print(int(dataset_break(tf.data.Dataset.from_tensor_slices([1, 20, 3]))), int(dataset_break(tf.data.Dataset.range(4))))


@tf.function
def primes(n):
    count = 0
    for i in tf.range(2, n):
        is_prime = True
        for j in tf.range(2, i):
            if j * j > i:
                break
            if i % j == 0:
                is_prime = False
                break
        if not is_prime:
            continue
        count += 1
    return count


print(int(primes(tf.constant(50))))


def gen(n):
    for i in range(n):
        yield i * i


@tf.function
def python_generator(x):
    return x + sum(gen(4)) + len(list(gen(3)))


print(int(python_generator(tf.constant(0))))


@tf.function
def step_down(n):
    s = ""
    for i in tf.range(n, 0, -2):
        s = tf.strings.join([s, tf.strings.as_string(i)], separator=",")
    return s


print(step_down(tf.constant(7)).numpy())


@tf.function
def list_append(n):
    xs = []
    tf.autograph.experimental.set_element_type(xs, tf.int32)
    for i in tf.range(n):
        xs.append(i * i)
    return xs[0]


try:
    print(list_append(tf.constant(4)).numpy())
except Exception as e:
    print(type(e).__name__)


@tf.function
def grow(n):
    x = tf.zeros([0], tf.int32)
    for i in tf.range(n):
        tf.autograph.experimental.set_loop_options(shape_invariants=[(x, tf.TensorShape([None]))])
        x = tf.concat([x, [i]], 0)
    return x


print(grow(tf.constant(4)).numpy())
