# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""`tf.bitwise`: operations on the bits of integers."""

from reflow.api.math.logic import bitwise_and as bitwise_and
from reflow.api.math.logic import bitwise_or as bitwise_or
from reflow.api.math.logic import bitwise_xor as bitwise_xor
from reflow.api.math.logic import left_shift as left_shift
from reflow.api.math.logic import right_shift as right_shift
from reflow.api.math.unary import invert as invert
