# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.__internal__.eager_context`."""

from reflow.api.framework.internal import _reset_context as _reset_context
from reflow.api.framework.internal import async_wait as async_wait
from reflow.api.framework.internal import context as context
from reflow.api.framework.internal import eager_mode as eager_mode
from reflow.api.framework.internal import get_config as get_config
from reflow.api.framework.internal import get_device_name as get_device_name
from reflow.api.framework.internal import get_executor as get_executor
from reflow.api.runtime_settings import set_soft_device_placement as set_soft_device_placement

__all__ = [
    "_reset_context", "async_wait", "context", "eager_mode", "get_config", "get_device_name", "get_executor",
    "set_soft_device_placement",
]
