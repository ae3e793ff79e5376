"""`tensorflow.python.tpu.embedding_context_utils`.

Blocks in which the embeddings of a TPU are looked up one step after the other.
"""

import threading

from reflow.core.scope import Swapped


class _State(threading.local):
    enabled = True


embedding_pipelining_state = _State()


class SequentialEmbeddingContext(Swapped):
    """A `with` block whose steps are not overlapped.

    Steps never are here: there is no TPU whose look-ups run beside them.
    """

    def __init__(self) -> None:
        super().__init__(embedding_pipelining_state, {"enabled": False})
