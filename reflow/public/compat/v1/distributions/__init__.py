# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.compat.v1.distributions`."""

from reflow.compat.distributions.base import Distribution as Distribution
from reflow.compat.distributions.base import FULLY_REPARAMETERIZED as FULLY_REPARAMETERIZED
from reflow.compat.distributions.base import NOT_REPARAMETERIZED as NOT_REPARAMETERIZED
from reflow.compat.distributions.base import ReparameterizationType as ReparameterizationType
from reflow.compat.distributions.discrete import Bernoulli as Bernoulli
from reflow.compat.distributions.discrete import Categorical as Categorical
from reflow.compat.distributions.discrete import DirichletMultinomial as DirichletMultinomial
from reflow.compat.distributions.discrete import Multinomial as Multinomial
from reflow.compat.distributions.divergence import RegisterKL as RegisterKL
from reflow.compat.distributions.divergence import kl_divergence as kl_divergence
from reflow.compat.distributions.positive import Beta as Beta
from reflow.compat.distributions.positive import Dirichlet as Dirichlet
from reflow.compat.distributions.positive import Exponential as Exponential
from reflow.compat.distributions.positive import Gamma as Gamma
from reflow.compat.distributions.real import Laplace as Laplace
from reflow.compat.distributions.real import Normal as Normal
from reflow.compat.distributions.real import StudentT as StudentT
from reflow.compat.distributions.real import Uniform as Uniform
