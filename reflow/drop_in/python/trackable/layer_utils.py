"""`tensorflow.python.trackable.layer_utils`: which trackable objects are layers, or hold some."""


def is_layer(obj) -> bool:
    """Whether an object, and not a class, is a layer."""
    return hasattr(obj, "_is_layer") and not isinstance(obj, type)


def has_weights(obj) -> bool:
    """Whether an object has weights, as layers and containers of layers do."""
    kind = type(obj)
    return hasattr(kind, "trainable_weights") and hasattr(kind, "non_trainable_weights") and not isinstance(obj, type)


def filter_empty_layer_containers(layer_list):
    """The layers of a list, and those in containers among them, each once."""
    seen: set[int] = set()
    left = list(reversed(layer_list))
    while left:
        obj = left.pop()
        if id(obj) in seen:
            continue
        seen.add(id(obj))
        if is_layer(obj):
            yield obj
        else:
            left.extend(reversed(getattr(obj, "layers", ())))
