"""`tensorflow.python.framework.tensor`: the base of specs whose values act as tensors."""

from reflow.core.specs import DenseSpec as DenseSpec
