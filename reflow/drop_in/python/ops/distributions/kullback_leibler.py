"""`tensorflow.python.ops.distributions.kullback_leibler`: the divergences that are registered, by pairs of types."""

from reflow.compat.distributions.divergence import DIVERGENCES as _DIVERGENCES
from reflow.compat.distributions.divergence import cross_entropy
from reflow.compat.distributions.divergence import registered as _registered_kl

__all__ = ["_DIVERGENCES", "_registered_kl", "cross_entropy"]
