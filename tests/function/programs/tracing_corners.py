"""Corners of tracing: decorators above and below, keyword-only arguments, recursion, traces that fail, inherited collections."""
import functools
import types

import tensorflow as tf

v1 = tf.compat.v1


def passed_on(function):
    @functools.wraps(function)
    def wrapper(self, *args, **kwargs):
        return function(self, *args, **kwargs)

    return wrapper


class Model:
    def __init__(self):
        self.traces = 0

    @tf.function
    @passed_on
    def below(self, x):
        self.traces += 1
        return x * 2

    @passed_on
    @tf.function
    def above(self, x):
        self.traces += 1
        return x * 3

    @tf.function(reduce_retracing=True)
    def relaxed(self, x):
        self.traces += 1
        return x

    @tf.function(input_signature=(tf.TensorSpec([None, 2]),))
    def call(self, x, training=False, mask=None):
        return x * 2 if training else x

    @functools.cached_property
    def made_once(self):
        return tf.function(lambda x: x + self.traces)


a, b = Model(), Model()
one = tf.constant(1)
print([int(t) for t in (a.below(one), b.below(one), a.above(one), b.above(one), a.made_once(one))], a.traces, b.traces)
for n in range(1, 5):
    a.relaxed(tf.ones([n]))
    b.relaxed(tf.ones([n, n]))
a.bound = types.MethodType(tf.function(lambda self, x: x + self.traces), a)
print(a.traces, b.traces, int(a.bound(one)))
c = a.call.get_concrete_function()
print(c.structured_input_signature, c.structured_outputs, c(tf.ones([1, 2]), False, None).numpy())


def show(function, *args, **kwargs):
    try:
        print("fine:", function(*args, **kwargs).numpy())
    except Exception as e:
        print(type(e).__name__, str(e).split(". Received")[0].splitlines()[0][:120])


show(a.call, [[1, 2]], training=False)
show(a.call, tf.ones([1, 2]), training=True)
show(c, x=tf.ones([1, 2]))


@tf.function
def keyword_only(a, *, b, c=3):
    return a + b + c


show(keyword_only, 1, b=2)
show(keyword_only, 1, 2)
show(keyword_only, 1)
spec = tf.TensorSpec([], tf.int32)
k = keyword_only.get_concrete_function(spec, b=spec)
print(k.structured_input_signature)
show(k, one, b=one, c=3)
show(k, one, one)


@tf.function
def deep(x, n):
    return x if n == 0 else deep(x + 1, n - 1)


show(deep, tf.constant(0), 20)
print(deep.experimental_get_tracing_count())
calls = []


@tf.function
def second_time_lucky(x):
    calls.append(1)
    if len(calls) == 1:
        raise RuntimeError("not yet")
    return x


for _ in range(3):
    show(second_time_lucky, one)
print(len(calls), second_time_lucky.experimental_get_tracing_count())


@tf.function
def losses(x):
    v1.add_to_collection("losses", x * 2)
    v1.get_default_graph().add_to_collection("k", 3)
    return tf.add_n(v1.get_collection("losses"))


show(losses, tf.constant(1.0))
show(losses, tf.constant([1.0]))
print(losses.get_concrete_function(tf.constant(1.0)).graph.get_collection("k"))
with tf.Graph().as_default() as g:
    g.add_to_collection("a", 1)

    @tf.function
    def inside(x):
        print(v1.get_collection("a"))
        v1.add_to_collection("a", 2)
        return x

    inside(tf.constant(1.0))
    print(g.get_collection("a"))
