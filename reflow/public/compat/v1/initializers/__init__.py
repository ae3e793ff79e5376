# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.compat.v1.initializers`."""

from reflow.compat.graph_variables import global_variables_initializer as global_variables
from reflow.compat.graph_variables import local_variables_initializer as local_variables
from reflow.compat.graph_variables import tables_initializer as tables_initializer
from reflow.compat.graph_variables import variables_initializer as variables
from reflow.compat.initializers import Constant as constant
from reflow.compat.initializers import GlorotNormal as glorot_normal
from reflow.compat.initializers import GlorotUniform as glorot_uniform
from reflow.compat.initializers import Identity as identity
from reflow.compat.initializers import Ones as ones
from reflow.compat.initializers import Orthogonal as orthogonal
from reflow.compat.initializers import RandomNormal as random_normal
from reflow.compat.initializers import RandomUniform as random_uniform
from reflow.compat.initializers import TruncatedNormal as truncated_normal
from reflow.compat.initializers import UniformUnitScaling as uniform_unit_scaling
from reflow.compat.initializers import VarianceScaling as variance_scaling
from reflow.compat.initializers import Zeros as zeros
from reflow.compat.initializers import he_normal as he_normal
from reflow.compat.initializers import he_uniform as he_uniform
from reflow.compat.initializers import lecun_normal as lecun_normal
from reflow.compat.initializers import lecun_uniform as lecun_uniform

__all__ = [
    "constant", "global_variables", "glorot_normal", "glorot_uniform", "he_normal", "he_uniform", "identity",
    "lecun_normal", "lecun_uniform", "local_variables", "ones", "orthogonal", "random_normal", "random_uniform",
    "tables_initializer", "truncated_normal", "uniform_unit_scaling", "variables", "variance_scaling", "zeros",
]
