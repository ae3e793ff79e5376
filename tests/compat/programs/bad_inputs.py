"""What a session, a queue and a scope say when they are used wrongly. Nothing waits for ever."""

import threading

import numpy as np
import tensorflow.compat.v1 as tf


def refused(what, function, lines=1):
    try:
        print(what, "gives", function())
    except Exception as error:
        # a variable of a reference says where it was made
        print(
            what, type(error).__name__,
            *[line.removesuffix(" Originally defined at:") for line in str(error).splitlines()[:lines]],
        )


x = tf.placeholder(tf.float32, [None, 2], name="x")
double = tf.multiply(x, 2.0, name="double")
whole = tf.placeholder(tf.int8, [None])
with tf.Graph().as_default():
    elsewhere = tf.constant(1.0, name="elsewhere")
queue = tf.FIFOQueue(2, tf.int32, shapes=[[]])
put, get, end = queue.enqueue(1), queue.dequeue(), queue.close(cancel_pending_enqueues=True)
some = queue.dequeue_many(3)
v = tf.get_variable("v", [2])
with tf.Session() as session:
    refused("another graph", lambda: session.run(elsewhere))
    refused("a name that is not there", lambda: session.run("nothing:0"))
    refused("an operation that is not there", lambda: session.run("nothing"))
    refused("a number", lambda: session.run(3))
    refused("None", lambda: session.run(None))
    refused("no feed", lambda: session.run(double))
    refused("a wrong shape", lambda: session.run(double, {x: [1.0, 2.0]}))
    refused("a wrong dtype", lambda: session.run(double, {x: [["a", "b"]]}), 0)
    refused("a fraction", lambda: session.run(whole, {whole: [1.5, -2.5]}))
    refused("a large number", lambda: session.run(whole, {whole: [300]}))
    refused("a tensor", lambda: session.run(double, {x: double}))
    refused("a feed elsewhere", lambda: session.run(double, {elsewhere: 1.0, x: [[1.0, 2.0]]}))
    refused("not initialized", lambda: session.run(v), 0)
    thread = threading.Thread(target=lambda: refused("closed while waiting", lambda: session.run(get), 0))
    thread.start()
    session.run(end)
    thread.join(60)
    refused("put into a closed queue", lambda: session.run(put), 0)
    refused("take from a closed queue", lambda: session.run(some), 0)
with tf.variable_scope("", reuse=True):
    refused("another shape", lambda: tf.get_variable("v", [3]))
    refused("not there", lambda: tf.get_variable("w", [3]))
refused("twice", lambda: tf.get_variable("v", [2]))
refused("no shape", lambda: tf.get_variable("u"))
refused("closed", lambda: session.run(double, {x: np.zeros([1, 2])}))
refused("shapes", lambda: tf.matmul(x, tf.zeros([3, 3])))
