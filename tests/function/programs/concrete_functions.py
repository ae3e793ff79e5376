"""Concrete functions: signatures, graphs, captures, calls by position and name, polymorphism, wrap_function, retracing."""
import tensorflow as tf

v = tf.Variable(2.0, name="v")


@tf.function
def f(x, y=1.0, name="n"):
    return {"out": x * v + y, "shape": tf.shape(x)}


c = f.get_concrete_function(tf.TensorSpec([None, 2], tf.float32, name="x"), y=3.0)
print(c.structured_input_signature)
print(c.structured_outputs)
print([t.name for t in c.inputs], [t.name for t in c.outputs], [op.type for op in c.graph.get_operations()][:9])
print(c.captured_inputs[0] is v.handle, [w.name for w in c.variables], c.output_dtypes, c.output_shapes)
print({k: t.numpy().tolist() for k, t in c(tf.ones([1, 2])).items()}, c(x=tf.zeros([1, 2]))["out"].numpy())
for bad in (lambda: c(), lambda: c(tf.ones([1, 2]), z=1)):
    try:
        bad()
        print("fine")
    except (TypeError, ValueError) as e:
        print(type(e).__name__)
print(f.pretty_printed_concrete_signatures().splitlines()[0])


@tf.function(reduce_retracing=True)
def g(x):
    return tf.reduce_sum(x)


for n in range(1, 6):
    g(tf.ones([n]))
print(g.experimental_get_tracing_count())


@tf.function
def h(x):
    return x


h([1, 2])
h([1, 2])
h([1, 3])
h([tf.constant(1), tf.constant(2)])
h([tf.constant(5), tf.constant(6)])
h((1, 2))
h({"a": 1})
print(h.experimental_get_tracing_count())
w = tf.compat.v1.wrap_function(lambda x: tf.square(x, name="sq"), [tf.TensorSpec([], tf.float32, name="x")])
print(float(w(tf.constant(3.0))), [op.name for op in w.graph.get_operations()])
p = w.prune(w.graph.get_tensor_by_name("x:0"), w.graph.get_tensor_by_name("sq:0"))
print(float(p(tf.constant(4.0))))
g1 = tf.Graph()
with g1.as_default():
    a = tf.constant(1.0, name="a")
    b = tf.add(a, 2.0, name="b")
with tf.compat.v1.Session(graph=g1) as sess:
    print(sess.run(b), [n.name for n in g1.as_graph_def().node])
print(isinstance(c, tf.types.experimental.ConcreteFunction), isinstance(f, tf.types.experimental.GenericFunction))
