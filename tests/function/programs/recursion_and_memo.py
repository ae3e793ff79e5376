"""Dynamic programming in graphs: edit distance, longest common subsequence, knapsack, Fibonacci with TensorArray reads."""
import numpy as np
import tensorflow as tf


@tf.function(input_signature=[tf.TensorSpec([None], tf.int32)] * 2)
def edit_distance(a, b):
    n, m = tf.shape(a)[0], tf.shape(b)[0]
    row = tf.range(m + 1)
    for i in tf.range(n):
        new = tf.TensorArray(tf.int32, size=m + 1, clear_after_read=False)
        new = new.write(0, i + 1)
        for j in tf.range(m):
            cost = tf.cast(a[i] != b[j], tf.int32)
            best = tf.minimum(tf.minimum(new.read(j) + 1, row[j + 1] + 1), row[j] + cost)
            new = new.write(j + 1, best)
        row = new.stack()
        row.set_shape([None])
    return row[m]


def chars(s):
    return tf.strings.unicode_decode(s, "UTF-8")


try:
    for a, b in (("kitten", "sitting"), ("flaw", "lawn")):
        print(int(edit_distance(chars(a), chars(b))))
except Exception as e:
    print(type(e).__name__, str(e)[-200:])


@tf.function
def fibonacci(n):
    fib = tf.TensorArray(tf.int32, size=n, clear_after_read=False)
    fib = fib.write(0, 1).write(1, 1)
    for i in tf.range(2, n):
        fib = fib.write(i, fib.read(i - 1) + fib.read(i - 2))
    return fib.stack()


print(fibonacci(8).numpy())


@tf.function
def knapsack(weights, values, cap):
    best = tf.zeros([cap + 1], tf.int32)
    for i in tf.range(tf.size(weights)):
        w, v = weights[i], values[i]
        shifted = tf.concat([tf.fill([w], -1000), best[: cap + 1 - w] + v], 0)
        best = tf.maximum(best, tf.reshape(shifted, [cap + 1]))
    return best[-1]


print(int(knapsack(tf.constant([1, 3, 4]), tf.constant([15, 20, 30]), 4)))


@tf.function
def ctc_alpha(logp, labels):
    s = 2 * tf.shape(labels)[0] + 1
    ext = tf.scatter_nd(2 * tf.range(tf.shape(labels)[0])[:, None] + 1, labels, [s])
    neg = tf.constant(-1e30)
    alpha = tf.concat([tf.gather(logp[0], ext[:2]), tf.fill([s - 2], neg)], 0)
    skip = tf.concat([[False, False], (ext[2:] != 0) & (ext[2:] != ext[:-2])], 0)
    for t in tf.range(1, tf.shape(logp)[0]):
        one = tf.concat([[neg], alpha[:-1]], 0)
        two = tf.where(skip, tf.concat([[neg, neg], alpha[:-2]], 0), neg)
        alpha = tf.reduce_logsumexp(tf.stack([alpha, one, two]), axis=0) + tf.gather(logp[t], ext)
        alpha.set_shape([None])
    return tf.reduce_logsumexp(alpha[-2:])


lp = tf.nn.log_softmax(tf.constant(np.random.RandomState(0).randn(5, 4).astype("float32")))
print(f"{float(-ctc_alpha(lp, tf.constant([1, 2]))):.4f}", f"{float(tf.nn.ctc_loss([[1, 2]], lp[:, None], [2], [5], blank_index=0)[0]):.4f}")


@tf.function
def sort(x):
    n = tf.size(x)
    for i in tf.range(n):
        for j in tf.range(n - 1 - i):
            if x[j] > x[j + 1]:
                a, b = x[j], x[j + 1]
                x = tf.tensor_scatter_nd_update(x, [[j], [j + 1]], tf.stack([b, a]))
    return x


print(sort(tf.constant([5, 2, 9, 1])).numpy())


@tf.function
def gcd(a, b):
    while b != 0:
        a, b = b, a % b
    return a


print(int(gcd(tf.constant(84), tf.constant(36))))


@tf.function
def sieve(n):
    mask = tf.ones([n + 1], tf.bool)
    mask = tf.tensor_scatter_nd_update(mask, [[0], [1]], [False, False])
    i = 2
    while i * i <= n:
        if mask[i]:
            at = tf.range(i * i, n + 1, i)
            mask = tf.tensor_scatter_nd_update(mask, at[:, None], tf.zeros_like(at, tf.bool))
        i += 1
    return tf.where(mask)[:, 0]


print(sieve(tf.constant(30)).numpy())
