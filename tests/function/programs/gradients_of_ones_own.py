"""Gradients of a user's own inside functions: they hold tensors of the traced function, of a loop, a branch, a row, a variable."""

import tensorflow as tf

scale = tf.Variable([2.0, 3.0])


@tf.custom_gradient
def doubled_tanh(x):
    y = tf.tanh(x)
    return y, lambda dy: dy * (1 - y * y) * 2.0


@tf.custom_gradient
def log1pexp(x):
    e = tf.exp(x)
    return tf.math.log(1 + e), lambda upstream: upstream * (1 - 1 / (1 + e))


@tf.custom_gradient
def with_variable(x):
    z = x * scale

    def grad(dy, variables=None):
        return dy * scale * z, [dy * x * 3.0 for _ in variables]

    return z * 1.0, grad


def weighted(weight):
    """A product whose gradient uses another tensor than its value does."""

    @tf.custom_gradient
    def product(y):
        u = tf.exp(y)
        return u, lambda dy: dy * weight * u

    return product


def straight(x):
    return doubled_tanh(x * x)


def only_in_gradient(x):
    return weighted(tf.sin(x))(x * x)


def in_loop(x):
    product = weighted(tf.sin(x))
    for i in tf.range(3):
        x = tf.sin(product(-x)) + tf.cast(i, tf.float32) * 0.25
    return x


def in_while(x):
    while tf.reduce_sum(x) < 20.0:
        x = doubled_tanh(x) * 2.0 + x + 1.0
    return x


def in_branch(x):
    return tf.cond(tf.reduce_sum(x) > 1.0, lambda: doubled_tanh(x * x) * log1pexp(x), lambda: x)


def in_case(x):
    return tf.switch_case(tf.size(x) - 1, [lambda: x, lambda: log1pexp(x * 2.0), lambda: doubled_tanh(x)])


called = tf.function(straight)


def in_call(x):
    return called(x) * called(2.0 * x)


def from_around(x):
    product = weighted(tf.cos(x))

    @tf.function
    def inner(y):
        return product(y)

    return inner(x * x) * x


def mapped(x):
    return tf.map_fn(log1pexp, x)


def vectorized(x):
    return tf.vectorized_map(log1pexp, x)


def of_a_variable(x):
    return with_variable(x * x)


def inside(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = doubled_tanh(x) * x
    return tape.gradient(y, x)


def first(f, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tape.gradient(y, [x, scale])


def second(f, x):
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        once = tape.gradient(y, x)
    return [once, *outer.gradient(once, [x, scale])]


def show(label, gradients):
    print(" ", label, [None if g is None else [f"{v:.4g}" for v in tf.convert_to_tensor(g).numpy()] for g in gradients])


x = tf.constant([0.5, 1.0])
programs = (straight, only_in_gradient, in_loop, in_while, in_branch, in_case, in_call, from_around, mapped, vectorized)
for program in (*programs, of_a_variable, inside):
    print(program.__name__)
    f = tf.function(program)
    for _ in range(2):
        show("first ", first(f, x))
        show("second", second(f, x))
    show("traced", tf.function(lambda x, f=f: second(f, x))(x))
    show("eager ", second(program, x))
