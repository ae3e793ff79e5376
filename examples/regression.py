"""Linear regression by hand: a tape, two variables, 10,000 small steps.

    python -m reflow examples/regression.py

A TensorFlow program, unmodified: the house prices of a city by year, scaled to [0, 1], and the line through them.
"""

import sys

import numpy as np
import tensorflow as tf


def house_prices():
    """Years and prices, each scaled to [0, 1]."""
    years = np.array([2013, 2014, 2015, 2016, 2017, 2018], dtype=np.float32)
    prices = np.array([12000, 14000, 15000, 16500, 17500, 19000], dtype=np.float32)
    scaled = [(values - values.min()) / (values.max() - values.min()) for values in (years, prices)]
    return tuple(tf.constant(values) for values in scaled)


def train(steps=10_000, learning_rate=5e-4, report_every=2_000):
    """Fit `y = a x + b` by gradient descent in eager mode; returns a and b."""
    x, y = house_prices()
    a, b = tf.Variable(0.0), tf.Variable(0.0)
    for step in range(steps):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.square(a * x + b - y))
        if step % report_every == 0:
            print(f"  step {step:6d}   loss {loss.numpy():.6f}   a {a.numpy():.4f}   b {b.numpy():.4f}")
        for variable, gradient in zip((a, b), tape.gradient(loss, [a, b])):
            variable.assign_sub(learning_rate * gradient)
    return a, b


def least_squares():
    """The answer in closed form, for comparison."""
    x, y = (values.numpy() for values in house_prices())
    return np.polyfit(x, y, 1)


if __name__ == "__main__":
    slope, intercept = train(steps=500 if "--fast" in sys.argv else 10_000)
    exact = least_squares()
    print(f"  found   y = {slope.numpy():.4f} x + {intercept.numpy():.4f}")
    print(f"  exact   y = {exact[0]:.4f} x + {exact[1]:.4f}")
