"""Variables of plain graphs: the nodes they are made of, collections, training steps, finalized graphs, fetches beside a step."""
import numpy as np
import tensorflow as tf

v1 = tf.compat.v1
with tf.Graph().as_default() as g:
    v = tf.Variable([1.0, 2.0], name="v")
    w = tf.Variable(lambda: tf.ones([2]), name="w")
    u = tf.Variable(3, trainable=False)
    print([(op.name, op.type) for op in g.get_operations()])
    print(v, v.op.name, v.initializer.name, v.handle.name, v.graph is g, v.initial_value, g.as_graph_element(v))
    print(v1.get_collection("trainable_variables"), sorted(g.get_all_collection_keys()))
    with v1.variable_scope("sc"):
        k = v1.get_variable("k", initializer=tf.constant([1.0]))
    print([op.name for op in g.get_operations()][-4:])
    print(w.assign_add([1.0, 1.0], name="inc", read_value=False).name, u.assign(4, name="set", read_value=False).name)
    x = v1.placeholder(tf.float32, [None, 2], name="x")
    loss = tf.reduce_mean(tf.square(x @ tf.reshape(w, [2, 1]) - 1.0), name="loss")
    step = v1.train.get_or_create_global_step()
    train = v1.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=step)
    adam = v1.train.AdamOptimizer(0.1).minimize(loss)
    mine = v1.train.MomentumOptimizer(0.1, 0.9).minimize(loss, name="mine")
    print([(t.name, t.type) for t in (train, adam, mine)], v1.get_collection("train_op") == [train, adam, mine])
    init = v1.global_variables_initializer()
g.finalize()
with v1.Session(graph=g) as session:
    session.run(init)
    print(session.run([v, w, u]), v.eval(), session.run("v/Read/ReadVariableOp:0"))
    print(session.run([train, w, loss], {x: np.ones([3, 2])})[1:], session.run(step), v1.train.global_step(session, step))
    print(session.run([w, adam], {x: np.ones([3, 2])})[0], session.run(w))
    print(session.run({"train": train, "loss": loss}, {x: np.ones([3, 2])})["train"], step.eval())
    try:
        with g.as_default():
            tf.constant(1.0)
    except RuntimeError as e:
        print(e)


@tf.function
def named(x):
    w2.assign_add(x, name="grow")
    w2.assign(w2 * 2.0, name="double")
    return w2.read_value()


w2 = tf.Variable(1.0)
print(float(named(tf.constant(2.0))))
print([op.name for op in named.get_concrete_function(tf.constant(1.0)).graph.get_operations() if "Assign" in op.type])
