"""`reflow/api/nn/candidates.py`: what TensorFlow prints for the expressions of `candidates.txt`."""

import reflow as tf
from tests.expressions import session

test_expressions = session(__file__)


def test_many_draws_continue_the_stream_of_few():
    """Blocks drawn one by one and many at a time are the same stream, so are more draws with the same seed."""
    draw = lambda n: tf.random.uniform_candidate_sampler([[1]], 1, n, False, 1000, seed=7)  # noqa: E731
    draws = {}
    for n in (4, 40, 200):
        tf.random.set_seed(5)
        draws[n] = draw(n).sampled_candidates.numpy().tolist()
    assert draws[200][:40] == draws[40] and draws[40][:4] == draws[4]
    assert type(draw(1)) is type(draw(2)) and type(draw(1)).__name__ == "UniformCandidateSampler"
