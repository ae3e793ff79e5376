# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""`tf.autodiff`: gradients by tape, forward and reverse."""

from reflow.eager.forward import ForwardAccumulator as ForwardAccumulator
from reflow.eager.tape import GradientTape as GradientTape
