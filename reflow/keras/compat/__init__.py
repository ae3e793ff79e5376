"""Keras 2 programs on Keras 3: what `tf.keras` accepts beyond the installed Keras.

Each file adapts one Keras class by replacing a few of its methods with wrappers around the originals; a call in Keras
3's own form passes through unchanged. `install` does it once, when `tf.keras` is first imported
(`reflow/drop_in/install.py`); `import keras` alone is still plain Keras 3. `docs/keras2.md` lists what is accepted.
"""

from __future__ import annotations

_installed: list[bool] = []


def install() -> None:
    """Patches the classes of the imported Keras."""
    if _installed:
        return
    _installed.append(True)
    import keras

    from reflow.keras.compat import (
        arguments,
        backend,
        callbacks,
        compiling,
        gpu,
        graphs,
        keras_fixes,
        layers,
        metrics,
        migration,
        models,
        modules,
        nodes,
        optimizers,
        own_optimizers,
        saving,
        symbolic,
        values,
        variables,
        version_one_optimizers,
    )

    parts = (
        gpu,
        values,
        variables,
        arguments,
        layers,
        nodes,
        metrics,
        compiling,
        models,
        optimizers,
        own_optimizers,
        modules,
        migration,
        version_one_optimizers,
    )
    for part in (*parts, backend, symbolic, callbacks, saving, keras_fixes, graphs):
        part.install(keras)
