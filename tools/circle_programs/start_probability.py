"""TensorFlow Probability: distributions, bijectors, a chain of Hamiltonian Monte Carlo,
a distribution as a function's argument."""

import numpy as np
import tensorflow as tf
import tensorflow_probability as tfp

tfd, tfb = tfp.distributions, tfp.bijectors

normal = tfd.Normal([0.0, 1.0], 2.0)
assert np.allclose(normal.log_prob(0.0), [-1.612, -1.737], atol=1e-3)
lognormal = tfb.Exp()(tfd.Normal(0.0, 1.0))
assert np.allclose(lognormal.log_prob(1.0), -0.9189, atol=1e-3)

chain = tfb.Chain([tfb.Shift(1.0), tfb.Scale(2.0)])
assert np.allclose(chain.inverse(chain.forward([1.0, 2.0])), [1.0, 2.0])

with tf.GradientTape() as tape:
    concentration = tf.Variable(2.0)
    total = tf.reduce_sum(tfd.Gamma(concentration, 1.0).sample(100, seed=[1, 2]))
assert tape.gradient(total, concentration) > 0


@tf.function
def run():
    kernel = tfp.mcmc.HamiltonianMonteCarlo(tfd.Normal(3.0, 1.0).log_prob, step_size=0.5, num_leapfrog_steps=3)
    return tfp.mcmc.sample_chain(300, 0.0, kernel=kernel, num_burnin_steps=50, trace_fn=None, seed=[3, 4])


assert abs(float(tf.reduce_mean(run())) - 3.0) < 0.4
assert tf.function(lambda d: d.mean())(normal).shape == [2]
