"""TensorFlow 1 style beside functions: sessions, placeholders, cond and while in plain graphs, collections, functions called in graphs."""
import numpy as np
import tensorflow as tf

v1 = tf.compat.v1


@tf.function
def poly(x):
    if tf.reduce_sum(x) > 0:
        return x * x
    return -x


g = tf.Graph()
with g.as_default():
    x = v1.placeholder(tf.float32, [None], name="x")
    n = v1.placeholder_with_default(3, [], name="n")
    y = poly(x)
    c = tf.cond(tf.reduce_sum(x) > 0, lambda: x + 1, lambda: x - 1)
    i, acc = tf.while_loop(lambda i, a: i < n, lambda i, a: (i + 1, a * 2), [0, tf.reduce_sum(x)])
    w = v1.get_variable("w", initializer=tf.constant([1.0, 2.0]))
    with v1.variable_scope("layer", reuse=v1.AUTO_REUSE):
        b = v1.get_variable("b", [2], initializer=v1.zeros_initializer())
    loss = tf.reduce_mean((w * x + b - 3.0) ** 2)
    train = v1.train.GradientDescentOptimizer(0.1).minimize(loss)
    grads = tf.gradients(acc, x)[0]
    init = v1.global_variables_initializer()
    v1.add_to_collection("mine", loss)
with v1.Session(graph=g) as sess:
    sess.run(init)
    feed = {x: [1.0, 2.0]}
    print(sess.run([y, c, acc], feed), sess.run(y, {x: [-1.0, -2.0]}))
    print(sess.run(acc, {x: [1.0, 2.0], n: 5}), sess.run(grads, feed))
    for _ in range(3):
        _, l = sess.run([train, loss], feed)
    print(round(float(l), 4), np.round(sess.run(w), 4), [v.name for v in g.get_collection("trainable_variables")])
    print(sess.run({"a": loss, "b": (w,)}, feed)["b"][0].shape)
    print(g.get_tensor_by_name("x:0").shape, g.get_collection("mine")[0] is loss)
    try:
        sess.run(y)
    except tf.errors.InvalidArgumentError as e:
        print("InvalidArgumentError", "must feed" in str(e).lower() or "feed a value" in str(e).lower())
with tf.Graph().as_default():
    q = tf.constant([[1.0, 2.0]])
    r = tf.map_fn(lambda t: t * 2, q)
    with v1.Session() as s:
        print(s.run(r), r.eval())
print(tf.executing_eagerly(), float(poly(tf.constant([2.0]))[0]))
