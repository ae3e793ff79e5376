"""`tensorflow.python.util.serialization`: objects of TensorFlow programs in JSON."""

from collections.abc import Mapping

import numpy as np

from reflow.core.dtypes import DType
from reflow.core.shapes import Dimension, TensorShape


def get_json_type(obj):
    """What stands for an object in JSON: a layer's configuration, an array's list, the name of a function or dtype."""
    if hasattr(obj, "get_config"):
        return {"class_name": type(obj).__name__, "config": obj.get_config()}
    if isinstance(obj, (np.ndarray, np.generic)):
        return obj.tolist()
    if callable(obj) or isinstance(obj, type):
        return obj.__name__
    if isinstance(obj, Dimension):
        return obj.value
    if isinstance(obj, TensorShape):
        return obj.as_list()
    if isinstance(obj, DType):
        return obj.name
    if isinstance(obj, Mapping):
        return dict(obj)
    if obj is Ellipsis:
        return {"class_name": "__ellipsis__"}
    if hasattr(obj, "__wrapped__"):
        return obj.__wrapped__
    raise TypeError(
        f"Object {obj} is not JSON-serializable. A `get_config()` method that returns a dictionary would make it so."
    )
