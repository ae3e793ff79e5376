"""The backends: where ops run (`core/backend.py` defines the interface).

Importing this package selects one for the process.
"""

from reflow.backends import host, placed
from reflow.devices import placement

placement.install(host.HostBackend(), placed.PlacedBackend())
