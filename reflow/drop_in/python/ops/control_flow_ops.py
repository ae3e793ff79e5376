"""`tensorflow.python.ops.control_flow_ops`: a tensor behind other ops."""

from reflow.api.array.arrange import identity
from reflow.api.framework.core_names import control_dependencies


def with_dependencies(dependencies, output_tensor, name=None):
    """A tensor that is there only after other ops have run."""
    with control_dependencies(dependencies):
        return identity(output_tensor, name)
