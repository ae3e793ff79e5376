"""Reflow's own version, and the version of TensorFlow whose programs, files and names it understands.

`reflow.__version__` is `REFLOW`, and so is the version of the installed package: `pyproject.toml` reads it from here. Programs of
TensorFlow find `TENSORFLOW` where they look for it: `tf.version.VERSION`, and `tensorflow.__version__` under the drop-in.
"""

REFLOW = "0.1.0"
TENSORFLOW = "2.21.0"
