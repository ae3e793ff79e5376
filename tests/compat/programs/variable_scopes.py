"""Variable scopes: custom getters, regularizers, local variables, templates, names."""

import tensorflow.compat.v1 as tf


def doubled(getter, name, *args, **kwargs):
    return 2.0 * getter(name, *args, **kwargs)


def told(getter, name, *args, **kwargs):
    print("asked for", name, sorted(k for k in kwargs if k in ("shape", "trainable", "reuse")))
    return getter(name, *args, **kwargs)


with tf.variable_scope("a", custom_getter=doubled, regularizer=lambda w: tf.reduce_sum(w)):
    x = tf.get_variable("x", [], initializer=tf.constant_initializer(3.0))
    with tf.variable_scope("b", custom_getter=told) as inner:
        y = tf.get_variable("y", [2], initializer=tf.ones_initializer(), regularizer=tf.no_regularizer)
        z = tf.get_local_variable("z", [], initializer=tf.zeros_initializer())
print(
    [v.name for v in tf.global_variables()], [v.name for v in tf.local_variables()], inner.name,
    inner.original_name_scope,
)
print(len(tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)))
with tf.Session() as session:
    session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    print(session.run([x, y, z]), session.run(tf.losses.get_regularization_losses()))
scale = tf.make_template("scale", lambda v: v * tf.get_variable("w", [], initializer=tf.ones_initializer()))
scale(1.0), scale(2.0)
print([v.name for v in scale.variables], len(scale.trainable_variables))
with tf.variable_scope("a", reuse=True):
    for wrong in (
        lambda: tf.get_variable("x", [2]),
        lambda: tf.get_variable("new", []),
    ):
        try:
            wrong()
        except ValueError as error:
            print(str(error).split(". Did")[0].splitlines()[0])
