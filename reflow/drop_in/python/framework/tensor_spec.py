"""`tensorflow.python.framework.tensor_spec`: specs of tensors, and the base of specs whose values act as tensors."""

from reflow.core.specs import BoundedTensorSpec as BoundedTensorSpec
from reflow.core.specs import DenseSpec as DenseSpec
from reflow.core.specs import TensorSpec as TensorSpec
