"""A VAE: reparametrisation with stateless noise, KL divergence, ELBO, optimiser by hand (Adam) in a module."""
import numpy as np
import tensorflow as tf


class Adam(tf.Module):
    def __init__(self, lr=0.05):
        super().__init__()
        self.lr, self.t, self.m, self.v = lr, tf.Variable(0.0), [], []

    def apply(self, grads, params):
        if not self.m:
            self.m = [tf.Variable(tf.zeros_like(p)) for p in params]
            self.v = [tf.Variable(tf.zeros_like(p)) for p in params]
        self.t.assign_add(1.0)
        for p, g, m, v in zip(params, grads, self.m, self.v):
            m.assign(0.9 * m + 0.1 * g)
            v.assign(0.999 * v + 0.001 * g * g)
            p.assign_sub(self.lr * (m / (1 - 0.9**self.t)) / (tf.sqrt(v / (1 - 0.999**self.t)) + 1e-7))


rng = np.random.RandomState(0)
enc = tf.Variable(rng.randn(4, 4).astype("float32") * 0.3)
dec = tf.Variable(rng.randn(2, 4).astype("float32") * 0.3)
opt = Adam()


@tf.function
def train(x, seed):
    with tf.GradientTape() as tape:
        mu, logvar = tf.split(x @ enc, 2, axis=1)
        eps = tf.random.stateless_normal(tf.shape(mu), seed)
        z = mu + tf.exp(0.5 * logvar) * eps
        logits = z @ dec
        ce = tf.nn.sigmoid_cross_entropy_with_logits(labels=x, logits=logits)
        kl = -0.5 * tf.reduce_sum(1 + logvar - mu**2 - tf.exp(logvar), axis=1)
        loss = tf.reduce_mean(tf.reduce_sum(ce, axis=1) + kl)
    opt.apply(tape.gradient(loss, [enc, dec]), [enc, dec])
    return loss


x = (rng.rand(6, 4) > 0.5).astype("float32")
for i in range(4):
    print(f"{float(train(x, tf.constant([1, i]))):.4f}")
print(train.experimental_get_tracing_count(), float(opt.t), len(opt.variables))
