"""Deep Q-learning: a network learns to balance a pole on a cart. The physics is below; no other package is needed.

    python -m reflow examples/q_learning.py            # 60 seconds
    python -m reflow examples/q_learning.py --fast     # a few steps only
"""

import collections
import math
import random
import sys

import numpy as np
import tensorflow as tf

FAST = "--fast" in sys.argv
DISCOUNT, BATCH, LONGEST = 0.99, 64, 200


class CartPole:
    """A pole of one metre on a cart of one kilogram. Pushes of 10 newtons, left or right, 50 times a second."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def reset(self):
        self.state = [self.random.uniform(-0.05, 0.05) for _ in range(4)]
        self.steps = 0
        return np.array(self.state, "float32")

    def step(self, action):
        x, speed, angle, spin = self.state
        force, sin, cos = 10.0 if action else -10.0, math.sin(angle), math.cos(angle)
        pull = (force + 0.05 * spin**2 * sin) / 1.1
        turn = (9.8 * sin - cos * pull) / (0.5 * (4 / 3 - 0.1 * cos**2 / 1.1))
        push = pull - 0.05 * turn * cos / 1.1
        self.state = [x + 0.02 * speed, speed + 0.02 * push, angle + 0.02 * spin, spin + 0.02 * turn]
        self.steps += 1
        fell = abs(self.state[0]) > 2.4 or abs(self.state[2]) > 0.21
        return np.array(self.state, "float32"), 1.0, fell, fell or self.steps >= LONGEST


def network():
    layers = tf.keras.layers
    return tf.keras.Sequential(
        [
            tf.keras.Input((4,)), layers.Dense(64, activation="relu"), layers.Dense(64, activation="relu"),
            layers.Dense(2),
        ]
    )


class Agent:
    """A network that values both actions, and a copy that follows it slowly and says what the future is worth."""

    def __init__(self):
        self.values, self.slow = network(), network()
        self.slow.set_weights(self.values.get_weights())
        self.optimizer = tf.keras.optimizers.Adam(1e-3)

    @tf.function
    def best(self, state):
        return tf.argmax(self.values(state[tf.newaxis])[0])

    @tf.function
    def learn(self, states, actions, rewards, following, fell):
        # chosen by one network, valued by the other: less wishful thinking
        chosen = tf.argmax(self.values(following), axis=1)
        future = tf.gather(self.slow(following), chosen, batch_dims=1) * (1.0 - fell)
        wanted = rewards + DISCOUNT * future
        with tf.GradientTape() as tape:
            valued = tf.gather(self.values(states), actions, batch_dims=1)
            loss = tf.reduce_mean(tf.keras.losses.huber(wanted[:, tf.newaxis], valued[:, tf.newaxis]))
        gradients = tape.gradient(loss, self.values.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.values.trainable_variables))
        for slow, fast in zip(self.slow.trainable_variables, self.values.trainable_variables):
            slow.assign(0.98 * slow + 0.02 * fast)


def play(agent, world, explore, rng, memory=None, learn=False):
    """One game; how long the pole stood."""
    state, done = world.reset(), False
    while not done:
        action = rng.randrange(2) if rng.random() < explore else int(agent.best(tf.constant(state)))
        following, reward, fell, done = world.step(action)
        if memory is not None:
            memory.append((state, action, reward, following, float(fell)))
            if learn and len(memory) >= BATCH:
                rows = zip(*rng.sample(memory, BATCH))
                kinds = ("float32", "int32", "float32", "float32", "float32")
                agent.learn(*(tf.constant(np.array(row, kind)) for row, kind in zip(rows, kinds)))
        state = following
    return world.steps


if __name__ == "__main__":
    tf.keras.utils.set_random_seed(0)
    rng, world, agent, memory = random.Random(0), CartPole(0), Agent(), collections.deque(maxlen=10_000)
    games, lengths = 4 if FAST else 120, []
    for game in range(1, games + 1):
        lengths.append(play(agent, world, max(0.05, 1 - game / (0.4 * games)), rng, memory, learn=True))
        if game % (games // 4) == 0:
            print(
                f"games {game - games // 4 + 1:3d} to {game:3d}: the pole stands {np.mean(lengths[-games // 4:]):.0f} "
                "steps"
            )
    trials = [play(agent, world, 0.0, rng) for _ in range(2 if FAST else 10)]
    print(f"without exploring: {np.mean(trials):.0f} of {LONGEST} steps")
