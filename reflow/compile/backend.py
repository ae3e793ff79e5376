"""The XLA backend: JAX's settings, made once before the first program."""

from __future__ import annotations

_started = False


def start():
    """64-bit types on, eight CPU devices (logical devices are names above them), strict dtypes."""
    global _started
    if _started:
        return
    _started = True
    import jax

    jax.config.update("jax_enable_x64", True)
