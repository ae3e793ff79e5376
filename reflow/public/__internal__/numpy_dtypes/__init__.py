# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.__internal__.numpy_dtypes`."""

from reflow.api.numpy.types import canonicalize_dtype as canonicalize_dtype
from reflow.api.numpy.types import default_float_type as default_float_type
from reflow.api.numpy.types import is_allow_float64 as is_allow_float64
from reflow.api.numpy.types import is_prefer_float32 as is_prefer_float32
from reflow.api.numpy.types import set_allow_float64 as set_allow_float64
from reflow.api.numpy.types import set_prefer_float32 as set_prefer_float32
