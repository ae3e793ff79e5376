"""Modules of `tensorflow.python.framework` between graphs and FunctionDefs."""
