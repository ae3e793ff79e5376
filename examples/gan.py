"""A generative adversarial network: one network draws digits, the other tells drawings from real ones. Both learn.

    python -m reflow examples/gan.py            # 60 seconds
    python -m reflow examples/gan.py --fast     # a few steps only
"""

import sys

import digits
import tensorflow as tf

FAST = "--fast" in sys.argv
NOISE, BATCH = 32, 64


def artist():
    layers = tf.keras.layers
    return tf.keras.Sequential(
        [
            tf.keras.Input((NOISE,)),
            layers.Dense(128),
            layers.LeakyReLU(negative_slope=0.2),
            layers.Dense(256),
            layers.LeakyReLU(negative_slope=0.2),
            layers.Dense(784, activation="sigmoid"),
            layers.Reshape((28, 28, 1)),
        ]
    )


def critic():
    layers = tf.keras.layers
    return tf.keras.Sequential(
        [
            tf.keras.Input((28, 28, 1)),
            layers.Flatten(),
            layers.Dense(128),
            layers.LeakyReLU(negative_slope=0.2),
            layers.Dropout(0.3),
            layers.Dense(1),
        ]
    )


class Game:
    """Both networks, their optimizers, and one step in which each learns from the other."""

    def __init__(self):
        self.artist, self.critic = artist(), critic()
        self.artist_optimizer = tf.keras.optimizers.Adam(1e-3, beta_1=0.5)
        self.critic_optimizer = tf.keras.optimizers.Adam(5e-4, beta_1=0.5)
        self.entropy = tf.keras.losses.BinaryCrossentropy(from_logits=True)

    @tf.function
    def step(self, real):
        with tf.GradientTape(persistent=True) as tape:
            drawn = self.artist(tf.random.normal([BATCH, NOISE]), training=True)
            says_real, says_drawn = self.critic(real, training=True), self.critic(drawn, training=True)
            critic_loss = self.entropy(tf.ones_like(says_real) * 0.9, says_real) + self.entropy(
                tf.zeros_like(says_drawn), says_drawn
            )
            artist_loss = self.entropy(tf.ones_like(says_drawn), says_drawn)
        for loss, network, optimizer in (
            (critic_loss, self.critic, self.critic_optimizer),
            (artist_loss, self.artist, self.artist_optimizer),
        ):
            gradients = tape.gradient(loss, network.trainable_variables)
            optimizer.apply_gradients(zip(gradients, network.trainable_variables))
        return critic_loss, artist_loss


if __name__ == "__main__":
    tf.keras.utils.set_random_seed(0)
    (images, labels), _ = digits.load(*((700, 1) if FAST else (6_000, 1)))
    ones = images[labels == 1]  # one kind of digit is learnt in a minute
    batches = tf.data.Dataset.from_tensor_slices(ones).shuffle(1_000, seed=1).repeat().batch(BATCH, drop_remainder=True)
    game, steps = Game(), 1 if FAST else 2_000
    print(
        f"{len(ones)} images of a one; the artist has {game.artist.count_params():,} parameters, the critic "
        f"{game.critic.count_params():,}"
    )
    for step, real in enumerate(batches.take(steps), start=1):
        critic_loss, artist_loss = game.step(real)
        if step % (steps // 5 or 1) == 0:
            print(f"  step {step:5d}: the critic's loss {critic_loss:.3f}, the artist's {artist_loss:.3f}")
    drawing = game.artist(tf.random.stateless_normal([1, NOISE], [1, 2]))[0]
    print(f"A drawing:\n{digits.picture(drawing)}")
