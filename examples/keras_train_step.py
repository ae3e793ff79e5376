"""Keras, style 4 of 4: `fit` with a training step of one's own. Everything else (epochs, metrics, callbacks) stays
Keras'.

    python -m reflow examples/keras_train_step.py            # 15 seconds
    python -m reflow examples/keras_train_step.py --fast     # a few steps only

The step mixes pairs of images ("mixup"): the network learns from blends of digits, with blended labels.
"""

import sys

import digits
import tensorflow as tf

FAST = "--fast" in sys.argv


class Mixup(tf.keras.Model):
    """A network that is trained on blends of two images."""

    def __init__(self, network):
        super().__init__()
        self.network = network
        self.blend_loss = tf.keras.metrics.Mean(name="blend_loss")  # Keras sets it back at the beginning of each epoch

    def call(self, images, training=False):
        return self.network(images, training=training)

    def train_step(self, data):
        images, labels = data
        share = tf.random.uniform([tf.shape(images)[0], 1, 1, 1], 0.7, 1.0)
        truth = tf.one_hot(labels, 10)
        blended = share * images + (1 - share) * tf.reverse(images, axis=[0])
        mixed = share[:, :, 0, 0] * truth + (1 - share[:, :, 0, 0]) * tf.reverse(truth, axis=[0])
        with tf.GradientTape() as tape:
            loss = self.compute_loss(y=mixed, y_pred=self(blended, training=True))
        self.optimizer.apply_gradients(zip(tape.gradient(loss, self.trainable_variables), self.trainable_variables))
        self.blend_loss.update_state(loss)
        return {"blend_loss": self.blend_loss.result()}

    def test_step(self, data):
        images, labels = data
        guesses = tf.argmax(self(images), axis=-1, output_type=tf.int32)
        return {"accuracy": tf.reduce_mean(tf.cast(guesses == labels, tf.float32))}


class Report(tf.keras.callbacks.Callback):
    """A callback works as it does with any model."""

    def on_epoch_end(self, epoch, logs=None):
        print(f"  epoch {epoch + 1}: loss {logs['blend_loss']:.3f}")


if __name__ == "__main__":
    tf.keras.utils.set_random_seed(0)
    train_set, test_set = digits.load(*((50, 32) if FAST else (6_000, 1_000)))
    layers = tf.keras.layers
    network = tf.keras.Sequential(
        [layers.Flatten(), layers.Dense(128, activation="relu"), layers.Dense(10, activation="softmax")]
    )
    model = Mixup(network)
    model.compile("adam", loss=tf.keras.losses.CategoricalCrossentropy())
    print("Training on blends of two digits")
    model.fit(*train_set, batch_size=50, epochs=1 if FAST else 5, verbose=0, callbacks=[Report()])
    scores = model.evaluate(*test_set, batch_size=100, verbose=0, return_dict=True)
    print(f"{scores['accuracy']:.1%} of {len(test_set[0])} unseen digits right")
