"""Handlers of signals wait until a block ends, in the main thread; a second signal does not wait."""

import os
import signal
import threading

import pytest

from reflow.compile.signals import held


@pytest.fixture(autouse=True)
def the_usual_handler():
    """Of Ctrl-C, whatever an earlier test has left."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def interrupt():
    os.kill(os.getpid(), signal.SIGINT)


def test_an_interrupt_waits_for_the_end_of_the_block():
    steps = []
    with pytest.raises(KeyboardInterrupt):
        with held():
            interrupt()
            steps.append("the rest of the block")
        steps.append("after the block")
    assert steps == ["the rest of the block"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_second_interrupt_does_not_wait():
    with pytest.raises(KeyboardInterrupt), held():
        interrupt()
        interrupt()
        pytest.fail("the second one was held back")
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_other_threads_are_never_interrupted():
    done = []

    def work():
        with held():
            done.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert done == [signal.default_int_handler]
