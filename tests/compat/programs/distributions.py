"""Distributions: samples with seeds, densities, moments, divergences, and what they refuse."""

import numpy as np
import tensorflow.compat.v1 as tf

d = tf.distributions
made = {
    "normal": (d.Normal([0.0, 1.0], 2.0), [[0.5], [-30.0]]),
    "laplace": (d.Laplace([0.0, 1.0], 2.0), [[0.5], [-3.0]]),
    "student": (d.StudentT([0.5, 1.5, 3.0], 1.0, 2.0), [0.5, -3.0, 1.0]),
    "uniform": (d.Uniform([0.0, -1.0], 2.0), [[0.5], [3.0]]),
    "gamma": (d.Gamma([0.5, 3.0], 2.0), [[0.5], [3.0]]),
    "exponential": (d.Exponential([0.5, 3.0]), [[0.5], [3.0]]),
    "beta": (d.Beta([0.5, 3.0], [2.0, 2.0]), [0.5, 0.9]),
    "dirichlet": (d.Dirichlet([[1.5, 2.0, 3.0], [0.5, 1.0, 1.0]]), [0.2, 0.3, 0.5]),
    "bernoulli": (d.Bernoulli(logits=[-1.0, 2.0]), [[0], [1]]),
    "categorical": (d.Categorical(probs=[[0.2, 0.3, 0.5], [0.6, 0.2, 0.2]]), [[0], [2]]),
    "multinomial": (d.Multinomial(4.0, logits=[[0.0, 1.0, 2.0], [1.0, 1.0, 0.0]]), [1.0, 2.0, 1.0]),
    "dirichlet_multinomial": (d.DirichletMultinomial(4.0, [[1.5, 2.0, 3.0], [0.5, 1.0, 1.0]]), [1.0, 2.0, 1.0]),
}
with tf.Session() as session:
    for name, (one, values) in made.items():
        print(name, repr(one), one.reparameterization_type, sorted(one.parameters), session.run(one.is_scalar_event()))
        drawn = one.sample([2, 3], seed=4)
        draws = session.run(drawn)  # the order of a loop's steps is open in TensorFlow
        print(
            "sample", drawn.shape, drawn.dtype.name,
            np.round(draws.sum(-1) if name == "multinomial" else draws, 4).ravel().tolist(),
        )
        for method in ("log_prob", "prob", "cdf", "log_cdf", "survival_function", "log_survival_function"):
            try:
                print(method, np.round(session.run(getattr(one, method)(values)), 4).tolist())
            except Exception as error:
                print(method, type(error).__name__, str(error))
        for method in ("mean", "mode", "variance", "stddev", "covariance", "entropy"):
            if (name, method) == ("dirichlet", "mode"):
                continue  # TensorFlow fails
            try:
                print(method, np.round(session.run(getattr(one, method)()), 4).tolist())
            except Exception as error:
                print(method, type(error).__name__, str(error))
    print(session.run(d.Normal([0.0, 1.0], 2.0).quantile(0.975)))
    pairs = [
        (d.Normal(0.0, 1.0), d.Normal(1.0, 2.0)), (d.Bernoulli(probs=0.2), d.Bernoulli(probs=0.4)),
        (d.Gamma(2.0, 1.0), d.Gamma(1.0, 3.0)), (d.Categorical([0.0, 1.0]), d.Categorical([1.0, 1.0])),
        (d.Beta(2.0, 1.0), d.Beta(1.0, 3.0)), (d.Exponential(2.0), d.Gamma(1.0, 3.0)),
        (d.Dirichlet([1.0, 2.0]), d.Dirichlet([2.0, 2.0])),
    ]  # fmt: skip
    for first, second in pairs:
        print(type(first).__name__, session.run([d.kl_divergence(first, second), first.cross_entropy(second)]))
    loc = tf.constant(1.0)
    print(session.run(tf.gradients(d.Normal(loc, 2.0).sample(seed=1) ** 2 + d.Normal(loc, 2.0).log_prob(0.0), loc)))
    print(
        d.Normal.param_static_shapes([3]), d.Normal(0.0, 1.0).copy(scale=3.0), session.run(d.Uniform(1.0, 4.0).range())
    )
    for what, function in {
        "negative": lambda: session.run(d.Normal(0.0, -1.0, validate_args=True).entropy()),
        "both": lambda: d.Bernoulli(logits=1.0, probs=0.5),
        "neither": lambda: d.Categorical(),
        "no divergence": lambda: d.kl_divergence(d.Normal(0.0, 1.0), d.Gamma(1.0, 1.0)),
        "no mean": lambda: session.run(d.StudentT(0.5, 0.0, 1.0, allow_nan_stats=False).mean()),
        "registered twice": lambda: d.RegisterKL(d.Normal, d.Normal)(lambda a, b, name=None: 0.0),
    }.items():
        try:
            print(what, "gives", function())
        except Exception as error:
            print(
                what, type(error).__name__,
                str(error).split(" to: ")[0][:60] if isinstance(error, (ValueError, NotImplementedError)) else "",
            )
