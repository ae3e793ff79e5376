"""`tf.compat.v1.distributions`: the dtypes of their parameters, and values far out."""

import numpy as np
import pytest
from scipy import stats

import reflow as tf

distributions = tf.compat.v1.distributions
WIDE = np.array([0.5, 0.25])
MAKERS = {
    "Normal": lambda v: distributions.Normal(v, v),
    "Laplace": lambda v: distributions.Laplace(v, v),
    "Uniform": lambda v: distributions.Uniform(v, v + 1),
    "StudentT": lambda v: distributions.StudentT(v, v, v),
    "Gamma": lambda v: distributions.Gamma(v, v),
    "Exponential": lambda v: distributions.Exponential(v),
    "Beta": lambda v: distributions.Beta(v, v),
}


@pytest.mark.parametrize("name", MAKERS)
def test_parameters_keep_their_dtype(name):
    make = MAKERS[name]
    assert make(WIDE).dtype is tf.float64
    assert make(1.0).dtype is tf.float32
    with pytest.raises(ValueError, match="Expected floating point type, got <dtype: 'int"):
        make(1)


def test_parameters_have_one_dtype():
    with pytest.raises(ValueError, match="must be of the same type"):
        distributions.Normal(0.0, WIDE)
    for one in ("logits", "probs"):
        with pytest.raises(TypeError, match=f"{one} must having floating type"):
            distributions.Bernoulli(**{one: np.array([1, 0])})
    assert distributions.Dirichlet(WIDE).dtype is tf.float64


def test_normal_in_float64():
    x = np.linspace(-8.0, 8.0, 9)
    normal = distributions.Normal(np.array(0.25), np.array(1.5))
    known = stats.norm(0.25, 1.5)
    np.testing.assert_allclose(normal.cdf(x), known.cdf(x), rtol=1e-9)
    np.testing.assert_allclose(normal.log_survival_function(x), known.logsf(x), rtol=1e-9)
    p = np.array([1e-12, 0.3, 0.999])
    np.testing.assert_allclose(normal.quantile(p), known.ppf(p), rtol=1e-9)


def test_gradient_of_a_quantile_is_finite_at_the_ends():
    p = tf.constant([0.0, 0.5, 1.0])
    with tf.GradientTape() as tape:
        tape.watch(p)
        y = distributions.Normal(0.0, 1.0).quantile(p)
    assert np.isfinite(tape.gradient(y, p)).all()


def test_a_negative_scale_mirrors_a_student_t():
    x = np.array([-2.5, 2.5, 8.0])
    found = distributions.StudentT(np.array(3.0), np.array(7.0), np.array(-8.0)).cdf(x)
    np.testing.assert_allclose(found, stats.t.cdf(x, 3.0, 7.0, 8.0), rtol=1e-6)
