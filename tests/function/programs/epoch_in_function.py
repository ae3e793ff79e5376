"""The whole epoch in one function: AutoGraph over a dataset, prints with a tensor condition."""
import tensorflow as tf

v = tf.Variable(1.0)
ds = tf.data.Dataset.from_tensor_slices(tf.range(1.0, 7.0)).batch(2)


@tf.function
def epoch(dataset, scale):
    loss = 0.0
    step = 0
    for batch in dataset:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(batch * v - scale))
        v.assign_sub(0.01 * tape.gradient(loss, v))
        step += 1
        if step % 2 == 0:
            tf.print("step", step, "big", loss > 1.0)
    return loss, step


loss, step = epoch(ds, tf.constant(2.0))
print(round(float(loss), 4), int(step), round(float(v), 4))
loss, step = epoch(ds.skip(1), tf.constant(2.0))
print(round(float(loss), 4), int(step), round(float(v), 4), epoch.experimental_get_tracing_count())
