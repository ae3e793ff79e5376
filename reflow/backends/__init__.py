"""The backends: where ops run (`core/backend.py` is what they have in common). Importing this package chooses one for the process."""

from reflow.backends import host, placed
from reflow.devices import placement

placement.install(host.HostBackend(), placed.PlacedBackend())
