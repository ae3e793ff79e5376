"""What stays between runs of a session: tensors behind handles; and what a server's containers keep."""

import numpy as np
import tensorflow.compat.v1 as tf

x = tf.placeholder(tf.float32, [2])
kept = tf.get_session_handle(x * 2.0)
with tf.Session() as session:
    first = session.run(kept, {x: [1.0, 2.0]})
    print(type(first).__name__, first.eval().tolist())
    holder, value = tf.get_session_tensor(first.handle, tf.float32)
    print(session.run(value + 1.0, {holder: first.handle}).tolist(), value.dtype, holder.dtype)
    again = session.run(kept, {x: first})
    print(again.eval().tolist())
    many = session.run([kept, tf.constant(7)], {x: np.ones(2)})
    print(many[0].eval().tolist(), many[1])
    place, delete = tf.delete_session_tensor(first.handle)
    session.run(delete, {place: again.get_raw_handle()})
    try:
        session.run(value, {holder: again.handle})
    except tf.errors.InvalidArgumentError as error:
        print("is not in the session store" in str(error))
try:
    tf.get_session_handle(3.0)
except TypeError as error:
    print(error)

with tf.Graph().as_default() as graph:
    with graph.container("mine"):
        inside = tf.Variable(1.0, name="v")
        with graph.container("other"):
            deeper = tf.FIFOQueue(1, tf.float32)
    outside = tf.Variable(2.0, name="w")
    print(deeper.queue_ref.op.get_attr("container"), outside.op.get_attr("container"))
    server = tf.train.Server.create_local_server()
    with tf.Session(server.target) as session:
        session.run(tf.global_variables_initializer())
    with tf.Session(server.target) as session:
        print(session.run([inside, outside]))
    tf.Session.reset(server.target, ["mine"])
    with tf.Session(server.target) as session:
        print(session.run(tf.report_uninitialized_variables()).tolist(), session.run(outside))
