"""Reflow's own version, and the version of TensorFlow that it is compatible with.

`reflow.__version__` is `REFLOW`, and so is the version of the installed package: `pyproject.toml` reads it from here.
TensorFlow programs find `TENSORFLOW` in `tf.version.VERSION`, and in `tensorflow.__version__` under the drop-in.
"""

REFLOW = "0.1.0"
TENSORFLOW = "2.21.0"
