"""A subclassed Keras model with a custom train_step, a layer with tf.function methods, and fit, evaluate, predict."""
import numpy as np
import tensorflow as tf


class Scale(tf.keras.layers.Layer):
    def build(self, shape):
        self.s = self.add_weight(shape=(shape[-1],), initializer="ones", name="s")

    def call(self, x):
        return tf.cond(tf.reduce_mean(x) > 0, lambda: x * self.s, lambda: x / self.s)


class Model(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.scale = Scale()
        self.out = tf.keras.layers.Dense(1, kernel_initializer="ones")
        self.tracker = tf.keras.metrics.Mean(name="loss")

    def call(self, x, training=False):
        x = self.scale(x)
        if training:
            x = x + 0.0
        return self.out(x)

    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((self(x, training=True) - y) ** 2)
        grads = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(grads, self.trainable_variables))
        self.tracker.update_state(loss)
        return {"loss": self.tracker.result()}

    @property
    def metrics(self):
        return [self.tracker]


m = Model()
m.compile(optimizer=tf.keras.optimizers.SGD(0.01))
x = np.linspace(0, 1, 24).reshape(12, 2).astype("float32")
y = x.sum(1, keepdims=True) * 2 + 1
h = m.fit(x, y, epochs=3, batch_size=4, shuffle=False, verbose=0)
print([f"{v:.4f}" for v in h.history["loss"]])
print(np.round(m.predict(x[:2], verbose=0).ravel(), 4), [tuple(v.shape) for v in m.trainable_variables])
f = tf.function(lambda t: m(t), input_signature=[tf.TensorSpec([None, 2], tf.float32)])
print(np.round(f(x[:1]).numpy(), 4), np.round(f(-x[1:2]).numpy(), 4))
