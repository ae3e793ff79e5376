# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""`tf.compat`: text and shapes in all versions; TensorFlow 1 in `v1`."""

from reflow.api.framework.forward_compatibility import forward_compatibility_horizon as forward_compatibility_horizon
from reflow.api.framework.forward_compatibility import forward_compatible as forward_compatible
from reflow.api.framework.small_namespaces import as_bytes as as_bytes
from reflow.api.framework.small_namespaces import as_str_any as as_str_any
from reflow.api.framework.small_namespaces import as_text as as_text
from reflow.api.framework.small_namespaces import bytes_or_text_types as bytes_or_text_types
from reflow.api.framework.small_namespaces import complex_types as complex_types
from reflow.api.framework.small_namespaces import dimension_at_index as dimension_at_index
from reflow.api.framework.small_namespaces import dimension_value as dimension_value
from reflow.api.framework.small_namespaces import integral_types as integral_types
from reflow.api.framework.small_namespaces import path_to_bytes as path_to_bytes
from reflow.api.framework.small_namespaces import path_to_str as path_to_str
from reflow.api.framework.small_namespaces import real_types as real_types
from reflow.public.compat import v1 as v1
import reflow as v2

as_str = as_text

__all__ = [
    "as_bytes", "as_str", "as_str_any", "as_text", "bytes_or_text_types", "complex_types", "dimension_at_index",
    "dimension_value", "forward_compatibility_horizon", "forward_compatible", "integral_types", "path_to_bytes",
    "path_to_str", "real_types", "v1", "v2",
]
