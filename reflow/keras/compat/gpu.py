"""GPU features that Keras has on its JAX backend but not on its TensorFlow backend.

- Attention as one op. There, `keras.ops.dot_product_attention`, and so `MultiHeadAttention`, is written as products and
  a softmax. In a function for a GPU it becomes `Reflow>Attention`, one cuDNN kernel.
- Callbacks on another thread. Reading a step's loss waits for the GPU. Keras does that on a separate thread if the
  backend is thread-safe, which TensorFlow is not and Reflow is. A GPT of 12 layers loses 4 of 20 ms per step by
  waiting.

- Initial values from the host. On a GPU a random op or a QR factorization is compiled for each shape: the first epoch
  of an LSTM took 5.3 s, and takes 3.2.

It also disables something that pays off only in TensorFlow: `LSTM` and `GRU` calling cuDNN's op. Here Keras' own loop
becomes one scan with the products of all time steps before it, which takes 0.86 times as long as Keras on JAX.
"""

from __future__ import annotations

import math
import sys

from reflow.core.context import state, swapped
from reflow.devices import placement
from reflow.keras.compat.patching import wrap
from reflow.ops.dispatch import run

#: numbers of an initial value that the host computes in less time than a program for it takes to be compiled
MOST_FROM_HOST = 1 << 21


def install(keras) -> None:
    _attention_as_one_op()
    _callbacks_on_a_thread()
    _initial_values_from_the_host()
    vars(sys.modules["keras.src.backend.tensorflow.rnn"])["cudnn_ok"] = lambda *args, **kwargs: False


def _on_gpu() -> bool:
    return placement.placing() and placement.places().default.device is not None


def _callbacks_on_a_thread() -> None:
    @wrap(sys.modules["keras.src.callbacks.callback_list"].CallbackList, "__init__")
    def init(original, self, *args, **kwargs):
        vars(sys.modules["keras.src.backend"])["IS_THREAD_SAFE"] = _on_gpu()
        original(self, *args, **kwargs)


def _initial_values_from_the_host() -> None:
    @wrap(sys.modules["keras.src.backend.tensorflow.core"].Variable, "_initialize_with_initializer")
    def initialize(original, self, initializer):
        def compute(shape, **kwargs):
            if not _on_gpu() or state.graph is not None or math.prod(shape) > MOST_FROM_HOST:
                return initializer(shape, **kwargs)
            with swapped(device="/device:CPU:0"):
                return initializer(shape, **kwargs)

        original(self, compute)


def _attention_as_one_op() -> None:
    backend = sys.modules["keras.src.backend.tensorflow.nn"]
    in_steps = vars(backend)["_dot_product_attention_xla"]

    def attend(query, key, value, bias, mask, is_causal, scale):
        if bias is not None or not _one_op(query, key, value, mask, scale):
            return in_steps(query, key, value, bias, mask, is_causal, scale)
        masks = () if mask is None else (mask,)
        return run(
            "Reflow>Attention", query, key, value, *masks, scale=float(scale), causal=bool(is_causal),
            T_output=query._dtype,
        )

    vars(backend)["_dot_product_attention_xla"] = attend


def _one_op(query, key, value, mask, scale) -> bool:
    """Whether the call may become one op: in a function for a GPU, with known lengths, a number for the scale."""
    if state.graph is None or not _on_gpu():
        return False
    known = all(t.shape.rank == 4 and None not in t.shape[1:].as_list() for t in (query, key, value))
    same = query._dtype is key._dtype is value._dtype
    masked = mask is None or (mask.shape.rank == 4 and mask._dtype.name == "bool")
    return known and same and masked and isinstance(scale, (int, float))
