"""Divergences by pairs of types."""

import reflow as tf
from reflow.drop_in.python.ops.distributions import kullback_leibler


def test_registered_divergences_and_cross_entropy():
    normal = tf.compat.v1.distributions.Normal
    a, b = normal(0.0, 1.0), normal(1.0, 2.0)
    assert kullback_leibler._registered_kl(normal, normal) is kullback_leibler._DIVERGENCES[normal, normal]
    found = kullback_leibler.cross_entropy(a, b)
    assert abs(float(found) - float(a.entropy() + a.kl_divergence(b))) < 1e-6
    assert float(a.cross_entropy(b)) == float(found)
