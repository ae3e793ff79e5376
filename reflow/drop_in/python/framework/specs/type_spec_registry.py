"""`tensorflow.python.framework.type_spec_registry`: the names that classes of specs have in files."""

from reflow.api.framework.internal import _spec_classes as _NAME_TO_TYPE_SPEC  # noqa: F401
from reflow.api.framework.internal import _spec_names as _TYPE_SPEC_TO_NAME  # noqa: F401
from reflow.api.framework.internal import lookup_type_spec as lookup  # noqa: F401
from reflow.api.framework.internal import register_type_spec as register  # noqa: F401
from reflow.api.framework.internal import type_spec_name as get_name  # noqa: F401
