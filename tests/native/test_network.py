"""Networks of steps: what the library refuses, and that many threads run one."""

import threading

import numpy as np
import pytest

from reflow import native
from reflow.native.network import BadSteps, Network, address_of

pytestmark = pytest.mark.skipif(not native.available(), reason="there are no kernels of ours")

#: 4 memories: 6 constants, 8 numbers of scratch, arguments of 2 and 3; one product of [1, 2] and [2, 3], to the scratch
#: memory, then tanh
GOOD = [4, 2, 6, 8, 2, 3, 0, 2, 6, 0, 1, 2, 3, 0, 2, 0, 0, 1, 0, 0, 3, 1, 1, 0, 2, 9, 1, 3, 1, 0, 1, 3, 0]
WEIGHTS = np.arange(6, dtype=np.float32) / 10


def run(network, x):
    y, scratch = np.zeros(3, np.float32), network.scratch()
    network.run(address_of(scratch), network.pointers([address_of(x), address_of(y)]))
    return y


def test_steps_run_one_after_the_other():
    x = np.array([1.0, -2.0], np.float32)
    np.testing.assert_allclose(run(Network(GOOD, WEIGHTS), x), np.tanh(x @ WEIGHTS.reshape(2, 3)), rtol=1e-6)


def test_no_wrong_number_reaches_memory():
    """Every number of the list, replaced by every number that is likely to do harm: refused, or harmless."""
    x, refused = np.ones(2, np.float32), 0
    for i in range(len(GOOD)):
        for wrong in (-1, 0, 1, 2, 3, 5, 7, 1000, 2**31, 2**40, 2**62, -(2**62), -(2**63)):
            changed = [*GOOD[:i], wrong, *GOOD[i + 1 :]]
            try:
                network = Network(changed, WEIGHTS)
            except BadSteps:
                refused += 1
                continue
            # what the caller promises
            if changed[1] == 2 and changed[3] < 1000 and changed[4] <= 2 and changed[5] <= 3:
                run(network, x)
    assert refused > 200
    for length in range(len(GOOD)):
        with pytest.raises((BadSteps, IndexError)):
            Network(GOOD[:length], WEIGHTS)
    with pytest.raises(BadSteps, match="behind its last step"):
        Network([*GOOD, 0], WEIGHTS)
    with pytest.raises(BadSteps, match="fewer constants"):
        Network(GOOD, WEIGHTS[:5])


def test_a_window_is_nowhere_outside_of_its_loop():
    fill = [0, 3, 0, 2, 0]  # three zeros to memory 2, which is no argument
    with pytest.raises(BadSteps, match="outside of the loop"):
        Network([3, 0, 0, 6, 3, 0, 1, *fill], np.zeros(0, np.float32))
    # two trips; the window goes over the scratch memory, three numbers at a time
    loop = [7, 2, 1, 0, 1, 2, 1, 0, 3, *fill]
    network = Network([3, 0, 0, 6, 3, 0, 1, *loop], np.zeros(0, np.float32))
    scratch = np.ones(6, np.float32)
    network.run(address_of(scratch), network.pointers([0]))
    assert not scratch.any()
    with pytest.raises(BadSteps, match="outside of the loop"):
        Network([3, 0, 0, 6, 3, 0, 2, *loop, *fill], np.zeros(0, np.float32))


def test_an_operand_that_is_one_number_again_and_again_is_bounded():
    product = [6, 0, 1, 2**20, 2**20, 0, 2, 0, 0, 0, 0, 0, 0, 0, 3, 0]
    with pytest.raises(BadSteps, match="too large to be copied"):
        Network([4, 2, 6, 8, 2, 3, 0, 1, *product], WEIGHTS)


def test_threads_share_a_network():
    network, wrong = Network(GOOD, WEIGHTS), []

    def work(seed):
        x = np.random.default_rng(seed).standard_normal(2).astype(np.float32)
        expected = run(network, x)
        wrong.extend(None for _ in range(200) if not np.array_equal(run(network, x), expected))

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
