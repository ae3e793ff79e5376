"""How replicas communicate: `tf.distribute.experimental.CommunicationOptions`.

`timeout_seconds` is how long a replica waits for the others before it reports them missing. `bytes_per_pack` limits how
much is sent in one operation. JAX chooses the implementation: NCCL between GPUs, Gloo's ring between CPUs.
"""

from __future__ import annotations

import copy
import enum

from reflow.api.export import export
from reflow.core.logging import logger


@export("distribute.experimental.CommunicationImplementation", "distribute.experimental.CollectiveCommunication")
class CommunicationImplementation(enum.Enum):
    """Says which library exchanges values between processes. It is recorded; JAX chooses itself.

    Attributes:
      AUTO: The runtime chooses.
      RING: A ring of gRPC messages.
      NCCL: NVIDIA's library, for GPUs.

    >>> tf.distribute.experimental.CommunicationImplementation.RING.value
    'RING'
    """

    AUTO = "AUTO"
    RING = "RING"
    NCCL = "NCCL"


@export("distribute.experimental.CommunicationOptions")
class CommunicationOptions:
    """Options of exchanges between replicas.

    Args:
      bytes_per_pack: the maximum number of bytes sent in one operation; 0 for everything at once.
      timeout_seconds: how long to wait for the others; 60 if None.
      implementation: a `CommunicationImplementation`.

    Raises:
      ValueError: for a negative number.

    >>> tf.distribute.experimental.CommunicationOptions(timeout_seconds=30).timeout_seconds
    30
    """

    def __init__(self, bytes_per_pack=0, timeout_seconds=None, implementation=CommunicationImplementation.AUTO):
        if bytes_per_pack < 0:
            raise ValueError(f"Argument `bytes_per_pack` must be >=0, Received {bytes_per_pack}.")
        if timeout_seconds is not None and timeout_seconds < 0:
            raise ValueError(f"Argument `timeout_seconds` must be >=0 or None. Received {timeout_seconds}.")
        self.bytes_per_pack, self.timeout_seconds = bytes_per_pack, timeout_seconds
        if isinstance(implementation, str):
            implementation = CommunicationImplementation(implementation.upper())
        if not isinstance(implementation, CommunicationImplementation):
            raise ValueError(
                "Argument `implementation` must be instance of "
                f"`tf.distribute.experimental.CommunicationImplementation`. Received: {implementation!r}"
            )
        self.implementation = implementation

    def merge(self, options):
        """Returns these options, with what others say in place of a default.

        Args:
          options: The other options, or None.

        Returns:
          A `CommunicationOptions`.
        """
        if options is None:
            return copy.copy(self)
        chosen = options.implementation
        return CommunicationOptions(
            options.bytes_per_pack or self.bytes_per_pack,
            self.timeout_seconds if options.timeout_seconds is None else options.timeout_seconds,
            self.implementation if chosen is CommunicationImplementation.AUTO else chosen,
        )

    def __repr__(self):
        return (
            f"Options(bytes_per_pack={self.bytes_per_pack},timeout_seconds={self.timeout_seconds}, "
            f"implementation={self.implementation})"
        )


@export("distribute.experimental.CollectiveHints")
class Hints:
    """The older name of `CommunicationOptions`, without an implementation.

    Args:
      bytes_per_pack: The maximum number of bytes sent in one operation; 0 for everything at once.
      timeout_seconds: How long to wait for the others.

    >>> tf.distribute.experimental.CollectiveHints(bytes_per_pack=1024).bytes_per_pack
    1024
    """

    def __new__(cls, bytes_per_pack=0, timeout_seconds=None):
        logger.warning("CollectiveHints is deprecated: use tf.distribute.experimental.CommunicationOptions.")
        return CommunicationOptions(bytes_per_pack, timeout_seconds)
