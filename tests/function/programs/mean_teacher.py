"""Exponential moving averages of weights, a coordinator of threads, early stopping and checkpoints of the best step."""
import threading

import tensorflow as tf

w = tf.Variable([1.0, 2.0], name="w")
b = tf.Variable(0.0, name="b")
ema = tf.train.ExponentialMovingAverage(decay=0.9)
ema.apply([w, b])


@tf.function
def step(x):
    w.assign_add(x)
    b.assign_add(1.0)
    ema.apply([w, b])
    return ema.average(w)


for _ in range(3):
    out = step(tf.constant([1.0, -1.0]))
print(out.numpy().round(4), ema.average(b).numpy().round(4), w.numpy())
fast = tf.train.ExponentialMovingAverage(0.99, num_updates=tf.constant(1))
print([float(fast.apply([b]) is None), float(fast.average(b))])
b.assign(20.0)
fast.apply([b])
print(round(float(fast.average(b)), 4), ema.average_name(w), ema.average(tf.Variable(1.0)))
zero = tf.train.ExponentialMovingAverage(0.5, zero_debias=False)
print(zero.name)
coord = tf.train.Coordinator()
counts = []


def loop():
    while not coord.should_stop():
        counts.append(1)
        if len(counts) >= 10:
            coord.request_stop()


threads = [threading.Thread(target=loop) for _ in range(2)]
for t in threads:
    t.start()
coord.join(threads)
print(coord.should_stop(), len(counts) >= 10, coord.joined)


def failing():
    with coord2.stop_on_exception():
        raise ValueError("in thread")


coord2 = tf.train.Coordinator()
t = threading.Thread(target=failing)
t.start()
try:
    coord2.join([t])
except ValueError as e:
    print("ValueError", e)
print(coord2.wait_for_stop(timeout=0.1))
