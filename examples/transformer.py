"""A Transformer, written from its parts: attention, positions, residuals. It learns to sort digits.

    python -m reflow examples/transformer.py            # 80 seconds
    python -m reflow examples/transformer.py --fast     # a few steps only

Input "3 1 2 |", output "1 2 3". A causal mask lets each place see only what came before it.
"""

import sys

import numpy as np
import tensorflow as tf

FAST = "--fast" in sys.argv
LENGTH, VOCABULARY, SEPARATOR = 6, 11, 10
WIDTH, HEADS, BLOCKS = 48, 4, 2


class SelfAttention(tf.keras.layers.Layer):
    """Every place asks all earlier places: softmax(Q Kᵀ / √d) V, in several heads side by side."""

    def __init__(self):
        super().__init__()
        self.project = tf.keras.layers.Dense(3 * WIDTH, use_bias=False)
        self.combine = tf.keras.layers.Dense(WIDTH)

    def call(self, x):
        length = tf.shape(x)[1]
        split = tf.reshape(self.project(x), [-1, length, 3, HEADS, WIDTH // HEADS])
        queries, keys, values = tf.unstack(tf.transpose(split, [2, 0, 3, 1, 4]))
        scores = tf.matmul(queries, keys, transpose_b=True) / (WIDTH // HEADS) ** 0.5
        mask = tf.linalg.band_part(tf.ones([length, length]), -1, 0)
        weights = tf.nn.softmax(scores - 1e9 * (1.0 - mask))
        mixed = tf.transpose(tf.matmul(weights, values), [0, 2, 1, 3])
        return self.combine(tf.reshape(mixed, [-1, length, WIDTH]))


class Block(tf.keras.layers.Layer):
    """Attention, then a small network at each place; both add to what passes by."""

    def __init__(self):
        super().__init__()
        layers = tf.keras.layers
        self.attention, self.before, self.between = (
            SelfAttention(), layers.LayerNormalization(), layers.LayerNormalization()
        )
        self.grow, self.shrink = layers.Dense(4 * WIDTH, activation="gelu"), layers.Dense(WIDTH)

    def call(self, x):
        x = x + self.attention(self.before(x))
        return x + self.shrink(self.grow(self.between(x)))


class Transformer(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.tokens = tf.keras.layers.Embedding(VOCABULARY, WIDTH)
        self.places = tf.keras.layers.Embedding(2 * LENGTH, WIDTH)
        self.blocks = [Block() for _ in range(BLOCKS)]
        self.normalise = tf.keras.layers.LayerNormalization()
        self.head = tf.keras.layers.Dense(VOCABULARY)

    def call(self, numbers):
        x = self.tokens(numbers) + self.places(tf.range(tf.shape(numbers)[1]))
        for block in self.blocks:
            x = block(x)
        return self.head(self.normalise(x))


def sequences(count, seed):
    """Rows "digits | sorted digits", without the last: the input; the next token at each place: the target."""
    unsorted = np.random.default_rng(seed).integers(0, 10, (count, LENGTH))
    rows = np.concatenate([unsorted, np.full((count, 1), SEPARATOR), np.sort(unsorted)], axis=1).astype("int32")
    return rows[:, :-1], rows[:, 1:]


def loss_of_the_answer(targets, logits):
    """Only the places after the separator count."""
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=tf.cast(targets, tf.int32), logits=logits)
    return tf.reduce_mean(losses[:, LENGTH:])


def sort(model, digits):
    row = [*digits, SEPARATOR]
    for _ in digits:
        row.append(int(tf.argmax(model(tf.constant([row]))[0, -1])))
    return row[-len(digits) :]


if __name__ == "__main__":
    tf.keras.utils.set_random_seed(0)
    model = Transformer()
    model.compile(tf.keras.optimizers.Adam(0.002), loss=loss_of_the_answer)
    model.fit(*sequences(64 if FAST else 12_000, 0), batch_size=64, epochs=1 if FAST else 6, verbose=0)
    print(f"{model.count_params():,} parameters")
    x, y = sequences(32 if FAST else 500, 1)
    right = model.predict(x, verbose=0).argmax(-1)[:, LENGTH:] == y[:, LENGTH:]
    print(f"{right.mean():.1%} of the next digits are right in rows it has not seen")
    for digits in ([5, 2, 9, 1, 0, 7], [3, 3, 8, 3, 1, 4]):
        print(f"  sort {digits} -> {sort(model, digits)}")
