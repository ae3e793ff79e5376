"""`tensorflow.python.client.session`: what sessions share, and classes that they learn to fetch and feed."""

from __future__ import annotations

from reflow.compat.session import BaseSession as BaseSession
from reflow.compat.session import _DeviceAttributes  # noqa: F401 - its name here
from reflow.compat.sessions.expansions import EXPANSIONS as _REGISTERED_EXPANSIONS  # noqa: F401 - its name here
from reflow.compat.sessions.expansions import register as register_session_run_conversion_functions  # noqa: F401


class SessionInterface:
    """What anything that runs graphs has."""

    @property
    def graph(self):
        """The graph that it runs."""
        raise NotImplementedError("graph")

    @property
    def sess_str(self):
        """The address of the process that it runs in."""
        raise NotImplementedError("sess_str")

    def run(self, fetches, feed_dict=None, options=None, run_metadata=None):
        """The values of `fetches`."""
        raise NotImplementedError("run")

    def partial_run_setup(self, fetches, feeds=None):
        """Announce a run in several steps."""
        raise NotImplementedError("partial_run_setup")

    def partial_run(self, handle, fetches, feed_dict=None):
        """One of these steps."""
        raise NotImplementedError("partial_run")
