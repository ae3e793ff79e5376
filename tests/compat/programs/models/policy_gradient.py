"""A policy learns by its gradient which of three arms pays; a baseline by a moving average."""

import numpy as np
import tensorflow.compat.v1 as tf

rng = np.random.RandomState(7)
pays = np.array([0.2, 1.0, 0.5])
action, advantage = tf.placeholder(tf.int32, [None]), tf.placeholder(tf.float32, [None])
preferences = tf.get_variable("preferences", [3], initializer=tf.zeros_initializer())
chances = tf.nn.softmax(preferences)
chosen = tf.reduce_sum(tf.log(chances) * tf.one_hot(action, 3), axis=1)
entropy = -tf.reduce_sum(chances * tf.log(chances))
loss = -tf.reduce_mean(chosen * advantage) - 0.01 * entropy
train = tf.train.FtrlOptimizer(0.5, l1_regularization_strength=0.001).minimize(loss)
reward = tf.Variable(0.0, trainable=False)
average = tf.train.ExponentialMovingAverage(0.8)
got = tf.placeholder(tf.float32, [])
with tf.control_dependencies([tf.assign(reward, got)]):
    tracked = average.apply([reward])
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for _ in range(30):
        probabilities = session.run(chances).astype(np.float64)
        taken = rng.choice(3, size=20, p=probabilities / probabilities.sum())
        rewards = pays[taken] + rng.randn(20) * 0.1
        session.run(tracked, {got: rewards.mean()})
        session.run(train, {action: taken, advantage: rewards - session.run(average.average(reward))})
    print(np.round(session.run([chances, average.average(reward), entropy])[0], 3), np.argmax(session.run(preferences)))
    print(average.average_name(reward), [v.name for v in tf.moving_average_variables()])
