"""PPO: generalised advantages by a backward loop into a TensorArray, clipped objective, entropy."""
import numpy as np
import tensorflow as tf

logits_w = tf.Variable(np.linspace(-0.5, 0.5, 9).reshape(3, 3).astype("float32"))


@tf.function
def advantages(rewards, values, dones, last, gamma=0.99, lam=0.95):
    n = tf.shape(rewards)[0]
    out = tf.TensorArray(tf.float32, size=n)
    gae = 0.0
    nxt = last
    for t in tf.range(n - 1, -1, -1):
        mask = 1.0 - dones[t]
        delta = rewards[t] + gamma * nxt * mask - values[t]
        gae = delta + gamma * lam * mask * gae
        out = out.write(t, gae)
        nxt = values[t]
    adv = out.stack()
    return adv, adv + values


@tf.function
def ppo_loss(obs, actions, old, adv, clip=0.2, beta=0.01):
    logp_all = tf.nn.log_softmax(obs @ logits_w)
    logp = tf.reduce_sum(tf.one_hot(actions, 3) * logp_all, axis=1)
    ratio = tf.exp(logp - old)
    adv = (adv - tf.reduce_mean(adv)) / (tf.math.reduce_std(adv) + 1e-8)
    loss = -tf.reduce_mean(tf.minimum(ratio * adv, tf.clip_by_value(ratio, 1 - clip, 1 + clip) * adv))
    entropy = -tf.reduce_mean(tf.reduce_sum(tf.exp(logp_all) * logp_all, axis=1))
    return loss - beta * entropy, tf.reduce_mean(old - logp)


rng = np.random.RandomState(3)
r, v, d = rng.randn(6).astype("float32"), rng.randn(6).astype("float32"), np.array([0, 0, 1, 0, 0, 0], "float32")
adv, ret = advantages(r, v, d, tf.constant(0.3))
print(np.round(adv.numpy(), 3), np.round(ret.numpy(), 3))
obs, acts = rng.randn(6, 3).astype("float32"), rng.randint(0, 3, 6)
old = np.full(6, -1.1, "float32")
for _ in range(3):
    with tf.GradientTape() as tape:
        loss, kl = ppo_loss(obs, acts, old, adv)
    logits_w.assign_sub(0.5 * tape.gradient(loss, logits_w))
    print(f"{float(loss):.4f} {float(kl):.4f}")
