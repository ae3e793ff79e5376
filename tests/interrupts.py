"""Signals at random moments, for tests of what an interrupt may break."""

import signal

import numpy as np


class Interrupted(Exception):
    """Raised by the signal's handler, wherever the program is."""


def storm(step, check, count, longest):
    """Interrupt runs of `step` after up to `longest` seconds, `count` times, and `check` after each; how often one was hit."""

    def handler(*_):
        raise Interrupted

    hits, old = 0, signal.signal(signal.SIGALRM, handler)
    try:
        for delay in np.random.default_rng(0).uniform(1e-6, longest, size=count):
            try:
                signal.setitimer(signal.ITIMER_REAL, delay)
                for _ in range(8):
                    step()
            except Interrupted:
                hits += 1
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
            check()
    finally:
        signal.signal(signal.SIGALRM, old)
    return hits
