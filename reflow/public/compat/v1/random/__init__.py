# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.compat.v1.random`."""

from reflow.api.nn.candidates import all_candidate_sampler as all_candidate_sampler
from reflow.api.nn.candidates import fixed_unigram_candidate_sampler as fixed_unigram_candidate_sampler
from reflow.api.nn.candidates import learned_unigram_candidate_sampler as learned_unigram_candidate_sampler
from reflow.api.nn.candidates import log_uniform_candidate_sampler as log_uniform_candidate_sampler
from reflow.api.nn.candidates import uniform_candidate_sampler as uniform_candidate_sampler
from reflow.api.random.generator import Generator as Generator
from reflow.api.random.generator import create_rng_state as create_rng_state
from reflow.api.random.generator import get_global_generator as get_global_generator
from reflow.api.random.generator import set_global_generator as set_global_generator
from reflow.api.random.sampling import Algorithm as Algorithm
from reflow.api.random.sampling import categorical as categorical
from reflow.api.random.sampling import fold_in as fold_in
from reflow.api.random.sampling import gamma as gamma
from reflow.api.random.sampling import normal as normal
from reflow.api.random.sampling import shuffle as shuffle
from reflow.api.random.sampling import split as split
from reflow.api.random.sampling import stateless_binomial as stateless_binomial
from reflow.api.random.sampling import stateless_categorical as stateless_categorical
from reflow.api.random.sampling import stateless_gamma as stateless_gamma
from reflow.api.random.sampling import stateless_normal as stateless_normal
from reflow.api.random.sampling import stateless_poisson as stateless_poisson
from reflow.api.random.sampling import stateless_truncated_normal as stateless_truncated_normal
from reflow.api.random.sampling import stateless_uniform as stateless_uniform
from reflow.api.random.sampling import truncated_normal as truncated_normal
from reflow.api.random.sampling import uniform as uniform
from reflow.api.random.truncated import (
    stateless_parameterized_truncated_normal as stateless_parameterized_truncated_normal,
)
from reflow.compat.functions import set_random_seed as set_random_seed
from reflow.compat.op_functions import stateless_multinomial as stateless_multinomial
from reflow.compat.reordered import multinomial as multinomial
from reflow.compat.reordered import poisson as poisson
from reflow.ops.random_state import get_seed as get_seed
from reflow.public.compat.v1.random import experimental as experimental
