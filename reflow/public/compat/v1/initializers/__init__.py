# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.compat.v1.initializers`."""

from reflow.api.initializers import Constant as constant
from reflow.api.initializers import Ones as ones
from reflow.api.initializers import Zeros as zeros
from reflow.compat.initializers import GlorotNormal as glorot_normal
from reflow.compat.initializers import GlorotUniform as glorot_uniform
from reflow.compat.initializers import Identity as identity
from reflow.compat.initializers import Orthogonal as orthogonal
from reflow.compat.initializers import RandomNormal as random_normal
from reflow.compat.initializers import RandomUniform as random_uniform
from reflow.compat.initializers import TruncatedNormal as truncated_normal
from reflow.compat.initializers import UniformUnitScaling as uniform_unit_scaling
from reflow.compat.initializers import VarianceScaling as variance_scaling
from reflow.compat.initializers import he_normal as he_normal
from reflow.compat.initializers import he_uniform as he_uniform
from reflow.compat.initializers import lecun_normal as lecun_normal
from reflow.compat.initializers import lecun_uniform as lecun_uniform

__all__ = [
    "constant", "glorot_normal", "glorot_uniform", "he_normal", "he_uniform", "identity", "lecun_normal",
    "lecun_uniform", "ones", "orthogonal", "random_normal", "random_uniform", "truncated_normal",
    "uniform_unit_scaling", "variance_scaling", "zeros",
]
