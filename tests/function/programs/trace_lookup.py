"""Which trace get_concrete_function and calls find: named specs, general ones, relaxed ones; variables passed and made."""
import tensorflow as tf

spec = tf.TensorSpec
f = tf.function(lambda x: x)
named = f.get_concrete_function(spec([2], name="nm"))
f(tf.ones([2]))
print(f.experimental_get_tracing_count(), [f.get_concrete_function(s) is named for s in (spec([2]), tf.ones([2]))])
print(f.get_concrete_function(spec([2], name="other")) is named, f.experimental_get_tracing_count())
g = tf.function(lambda x: x)
general = g.get_concrete_function(spec([None]))
print([g.get_concrete_function(s) is general for s in (spec([3]), tf.ones([5]), spec([3], name="q"))])
g(tf.ones([3]))
g(tf.ones([4]))
print(g.experimental_get_tracing_count())
h = tf.function(lambda x: x, reduce_retracing=True)
h(tf.ones([1]))
print(h.get_concrete_function(tf.ones([2])).inputs)
h(tf.ones([3]))
print(h.experimental_get_tracing_count())
k = tf.function(lambda x: x)
k(tf.ones([2]))
print(k.get_concrete_function(spec([2], name="nm")).inputs, k.experimental_get_tracing_count())
w = tf.function(lambda x, y: x)
w.get_concrete_function(spec([None], name="n1"), 1)
w(tf.ones([2]), 1)
w(tf.ones([2]), 2)
print(w.experimental_get_tracing_count())


# what a call returns has the shapes of its own arguments, also where the trace was made for more general ones
@tf.function(input_signature=[spec([None, 2])])
def inner(x):
    return x * 2, tf.reduce_sum(x, 0), tf.reshape(x, [-1]), tf.shape(x)


@tf.function(input_signature=[spec(None)])
def unknown(x):
    return tf.nn.relu(x), tf.transpose(x), x[0]


@tf.function
def outer(x):
    print([t.shape for t in inner(x)], [t.shape for t in unknown(x)])
    relaxed = tf.function(lambda y: y + 1, reduce_retracing=True)
    print(relaxed(x).shape, [relaxed(tf.ones([n])).shape for n in (5, 6, 7)])
    return inner(x)[0]


outer(tf.ones([3, 2]))
outer.get_concrete_function(spec([None, 2]))
with tf.Graph().as_default():
    print([t.shape for t in inner(tf.ones([4, 2]))])
