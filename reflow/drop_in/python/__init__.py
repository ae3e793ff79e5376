"""Names of TensorFlow's private modules that libraries use and that have no public home, written by hand.

The module `reflow.drop_in.python.util.nest` holds such names of `tensorflow.python.util.nest`; `private_modules.py`
looks here first. Names that are another way to a public thing stand in the recorded table instead (`drop_in/names.py`).
"""
