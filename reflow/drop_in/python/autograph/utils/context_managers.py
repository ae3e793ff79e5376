"""`tensorflow.python.autograph.utils.context_managers`: waiting for what a function returned."""

import contextlib

from reflow.api.framework.core_names import control_dependencies


def control_dependency_on_returns(return_value):
    """A `with` block whose ops run after a value, or each value of a list, is computed; nothing waits for None."""
    if return_value is None:
        return contextlib.nullcontext()
    values = return_value if isinstance(return_value, (list, tuple)) else (return_value,)
    return control_dependencies([x.flow if getattr(x, "_is_tensor_array", False) else x for x in values])
