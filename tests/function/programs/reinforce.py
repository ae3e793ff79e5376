"""REINFORCE and actor-critic: an environment in NumPy, episodes of unknown length in growing TensorArrays."""
import numpy as np
import tensorflow as tf

state = {"x": 0.0, "t": 0}


def env_step(action):
    state["x"] += 0.5 if action else -0.3
    state["t"] += 1
    done = abs(state["x"]) > 1.0 or state["t"] >= 8
    return np.array([state["x"], state["t"] / 8], np.float32), np.float32(1 - abs(state["x"])), np.int32(done)


def tf_env_step(action):
    return tf.numpy_function(env_step, [action], [tf.float32, tf.float32, tf.int32])


w = tf.Variable([[0.4, -0.2, 0.1], [-0.1, 0.3, 0.2]])


@tf.function
def run_episode(initial, max_steps):
    probs = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
    values = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
    rewards = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
    shape = initial.shape
    obs = initial
    for t in tf.range(max_steps):
        out = tf.expand_dims(obs, 0) @ w
        action = tf.argmax(out[0, :2])
        values = values.write(t, out[0, 2])
        probs = probs.write(t, tf.nn.softmax(out[:, :2])[0, action])
        obs, reward, done = tf_env_step(action)
        obs.set_shape(shape)
        rewards = rewards.write(t, reward)
        if tf.cast(done, tf.bool):
            break
    return probs.stack(), values.stack(), rewards.stack()


def expected_return(rewards, gamma=0.9):
    n = tf.shape(rewards)[0]
    returns = tf.TensorArray(tf.float32, size=n)
    rewards = tf.cast(rewards[::-1], tf.float32)
    total = tf.constant(0.0)
    shape = total.shape
    for i in tf.range(n):
        total = rewards[i] + gamma * total
        total.set_shape(shape)
        returns = returns.write(i, total)
    returns = returns.stack()[::-1]
    return (returns - tf.math.reduce_mean(returns)) / (tf.math.reduce_std(returns) + 1e-6)


@tf.function
def train_step(initial, max_steps):
    with tf.GradientTape() as tape:
        probs, values, rewards = run_episode(initial, max_steps)
        returns = expected_return(rewards)
        advantage = returns - values
        loss = -tf.reduce_sum(tf.math.log(probs) * tf.stop_gradient(advantage)) + tf.reduce_sum(advantage**2)
    g = tape.gradient(loss, w)
    w.assign_sub(0.01 * g)
    return tf.reduce_sum(rewards), tf.shape(rewards)[0], loss


for episode in range(3):
    state.update(x=0.0, t=0)
    total, n, loss = train_step(tf.constant([0.0, 0.0]), 8)
    print(episode, f"{float(total):.3f}", int(n), f"{float(loss):.4f}")
print(np.round(w.numpy(), 4).tolist())
