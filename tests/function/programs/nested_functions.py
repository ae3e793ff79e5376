"""Functions in functions: decorated helpers, higher-order functions, decorators on top, memoised factories, eager mode switch."""
import functools

import tensorflow as tf


def timed(f):
    @functools.wraps(f)
    def wrapper(*args, **kwargs):
        wrapper.calls += 1
        return f(*args, **kwargs)

    wrapper.calls = 0
    return wrapper


@timed
@tf.function
def outer(x):
    @tf.function
    def inner(y):
        return y + x

    return inner(x) * inner(tf.constant(2.0))


print(float(outer(tf.constant(3.0))), float(outer(tf.constant(4.0))), outer.calls, outer.__name__)


@tf.function
@timed
def traced_only(x):
    return x + 1


traced_only(tf.constant(1))
traced_only(tf.constant(2))
print(traced_only.python_function.calls)


@tf.function
def apply(fn, x, times):
    for _ in range(times):
        x = fn(x)
    return x


print(float(apply(tf.sqrt, tf.constant(81.0), 2)), float(apply(lambda v: v * 2, tf.constant(1.0), 3)))


@functools.lru_cache(None)
def make(n):
    @tf.function
    def f(x):
        return x**n

    return f


print([int(make(n)(tf.constant(2))) for n in (1, 2, 3, 2)], make.cache_info().hits)


@tf.function
def compose(*fs):
    def run(x):
        for f in fs:
            x = f(x)
        return x

    return run(tf.constant(1.0))


print(float(compose(tf.exp, tf.math.log, lambda v: v + 1)))
tf.config.run_functions_eagerly(True)
seen = []


@tf.function
def eager(x):
    seen.append(float(x))
    return x * 2


print(float(eager(tf.constant(2.0))), float(eager(tf.constant(3.0))), seen, tf.config.functions_run_eagerly())
tf.config.run_functions_eagerly(False)


@tf.function
def inside():
    return tf.executing_eagerly()


print(bool(inside()), tf.executing_eagerly())


@tf.function
def init_scope_use(x):
    with tf.init_scope():
        eagerly = tf.executing_eagerly()
        c = tf.constant(5.0) * 2
    return x + c, eagerly


print([t.numpy().item() for t in init_scope_use(tf.constant(1.0))])


@tf.autograph.experimental.do_not_convert
def plain(x):
    return x + 1 if isinstance(x, tf.Tensor) else 0


print(int(tf.function(plain)(tf.constant(1))))


def converted(x):
    if x > 0:
        return x
    return -x


g = tf.autograph.to_graph(converted)
with tf.Graph().as_default():
    print(type(g(tf.constant(-3))).__name__ in ("SymbolicTensor", "Tensor"))


@tf.function(jit_compile=True)
def fused(x, w):
    return tf.reduce_sum(tf.nn.relu(x @ w), axis=0)


print(fused(tf.ones([2, 2]), tf.constant([[1.0, -1.0], [2.0, 0.5]])).numpy())


@tf.function(autograph=False)
def static_if(x, flag):
    if flag:
        return x + 1
    return x - 1


print(int(static_if(tf.constant(1), True)), int(static_if(tf.constant(1), False)))
try:
    static_if(tf.constant(1), tf.constant(True))
except Exception as e:
    print(type(e).__name__)
