"""`tf.train.experimental.PythonState`: Python values in a checkpoint, as bytes that the object writes and reads."""

from __future__ import annotations

import abc

from reflow.api.export import export
from reflow.tracking.trackable import Trackable

PYTHON_STATE = "py_state"


@export("train.experimental.PythonState")
class PythonState(Trackable, abc.ABC):
    """Base of objects that save themselves as a string.

    >>> class Epoch(tf.train.experimental.PythonState):
    ...     number = 3
    ...     def serialize(self):
    ...         return str(self.number)
    ...     def deserialize(self, text):
    ...         self.number = int(text)
    >>> import tempfile
    >>> epoch = Epoch()
    >>> checkpoint = tf.train.Checkpoint(epoch=epoch)
    >>> path = checkpoint.write(tempfile.mkdtemp() + "/ckpt")
    >>> epoch.number = 0
    >>> _ = checkpoint.read(path)
    >>> epoch.number
    3
    """

    @abc.abstractmethod
    def serialize(self) -> bytes:
        """The state as bytes."""

    @abc.abstractmethod
    def deserialize(self, string_value: bytes):
        """Take the state from bytes made by `serialize`."""

    def _serialize_to_tensors(self):
        value = self.serialize()
        return {PYTHON_STATE: value.encode() if isinstance(value, str) else value}

    def _restore_from_tensors(self, restored_tensors):
        self.deserialize(restored_tensors[PYTHON_STATE].numpy())
