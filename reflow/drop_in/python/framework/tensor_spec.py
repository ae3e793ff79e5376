"""`tensorflow.python.framework.tensor_spec`: the base of specs whose values act as tensors."""

from reflow.core.specs import DenseSpec as DenseSpec
