"""Gradients of one op in the place of another's, which pass through rounding; names without a gradient."""

import tensorflow.compat.v1 as tf

x = tf.constant([0.3, 1.6, -2.2])
graph = tf.get_default_graph()
with graph.gradient_override_map({"Sign": "Identity", "Round": "Identity", "Floor": "Identity", "Relu": "Elu"}):
    results = [tf.sign(x), tf.round(x), tf.floor(x), tf.nn.relu(x)]
with graph.gradient_override_map({"Square": "NobodyRegisteredThis", "Exp": "Shape"}):
    unknown, none = tf.square(x), tf.exp(x)
try:
    tf.gradients(unknown, x)
except LookupError as error:
    print(error)
print(tf.gradients(none, x))

definition = graph.as_graph_def()
with tf.Graph().as_default() as copy:
    again, source = tf.import_graph_def(definition, return_elements=[results[0].name, x.name])
    imported = tf.gradients(again * 2.0, source)

with tf.Session(graph=graph) as session:
    for result in results:
        print(result.op.type, session.run(tf.gradients(result * 3.0, x)))
with tf.Session(graph=copy) as session:
    print(session.run(imported))
