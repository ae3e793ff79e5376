# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.experimental.numpy.random`."""

from reflow.api.numpy.random import poisson as poisson
from reflow.api.numpy.random import rand as rand
from reflow.api.numpy.random import randint as randint
from reflow.api.numpy.random import randn as randn
from reflow.api.numpy.random import random as random
from reflow.api.numpy.random import seed as seed
from reflow.api.numpy.random import standard_normal as standard_normal
from reflow.api.numpy.random import uniform as uniform
