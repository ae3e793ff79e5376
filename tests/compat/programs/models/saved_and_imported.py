"""A trained graph is exported with its checkpoint, imported by name into an empty graph, and trained on."""

import tensorflow.compat.v1 as tf

with tf.Graph().as_default():
    x = tf.placeholder(tf.float32, [None], name="x")
    w = tf.Variable(1.0, name="w")
    y = tf.multiply(x, w, name="y")
    loss = tf.reduce_mean(tf.square(y - 3.0 * x), name="loss")
    step = tf.train.GradientDescentOptimizer(0.05).minimize(loss, name="train")
    tf.add_to_collection("fetch", y)
    saver = tf.train.Saver()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(3):
            session.run(step, {x: [1.0, 2.0]})
        print(session.run(w))
        path = saver.save(session, "./saved", global_step=3)
with tf.Graph().as_default() as graph, tf.Session() as session:
    restored = tf.train.import_meta_graph(path + ".meta")
    restored.restore(session, path)
    print(session.run("w:0"), tf.get_collection("fetch")[0].name, [v.name for v in tf.trainable_variables()])
    for _ in range(3):
        session.run("train", {"x:0": [1.0, 2.0]})
    print(session.run(["w:0", "loss:0"], {"x:0": [1.0]}))
    frozen = tf.graph_util.convert_variables_to_constants(session, graph.as_graph_def(), ["y"])
print(sorted(node.op for node in frozen.node))
with tf.Graph().as_default():
    (out,) = tf.import_graph_def(frozen, input_map={"x": tf.constant([2.0])}, return_elements=["y:0"], name="again")
    with tf.Session() as session:
        print(out.name, session.run(out))
