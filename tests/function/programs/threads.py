"""Several threads call one function: one trace, every increment counted."""
import threading

import tensorflow as tf

total = tf.Variable(0)
traces = []


@tf.function
def add(n):
    traces.append(1)
    total.assign_add(n)
    return n * 2


results = []


def work(i):
    for k in range(20):
        results.append(int(add(tf.constant(i))))


threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
for t in threads:
    t.start()
for t in threads:
    t.join()
print(int(total), len(results), sorted(set(results)), len(traces))

errors = []


@tf.function
def in_thread(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x**3
    return tape.gradient(y, x)


def grads(i):
    g = in_thread(tf.constant(float(i)))
    if float(g) != 3.0 * i * i:
        errors.append(i)


threads = [threading.Thread(target=grads, args=(i,)) for i in range(8)]
for t in threads:
    t.start()
for t in threads:
    t.join()
print(errors, in_thread.experimental_get_tracing_count())
