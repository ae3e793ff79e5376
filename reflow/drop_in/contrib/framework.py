"""`tf.contrib.framework`: variables of models, by name and scope, and values for them from checkpoints."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from reflow.api.control.printing import group
from reflow.api.framework.core_names import placeholder
from reflow.compat.behavior import GraphKeys, get_default_graph
from reflow.compat.train.saver import Saver
from reflow.compat.variable_scopes import get_variable
from reflow.core.logging import logger
from reflow.drop_in.contrib.scopes import add_arg_scope
from reflow.train.checkpoint_reader import load_checkpoint


@add_arg_scope
def variable(
    name, shape=None, dtype=None, initializer=None, regularizer=None, trainable=True, collections=None,
    caching_device=None, device="", partitioner=None, custom_getter=None, use_resource=None,
):
    """A variable of the scope, perhaps on a device."""
    options = {
        "collections": collections, "caching_device": caching_device, "partitioner": partitioner,
        "use_resource": use_resource,
    }
    with get_default_graph().device(device or None):
        return get_variable(
            name, shape, dtype, initializer, regularizer, trainable, custom_getter=custom_getter, **options
        )


@add_arg_scope
def model_variable(
    name, shape=None, dtype=None, initializer=None, regularizer=None, trainable=True, collections=None, **options
):
    """A variable that is also in the collection MODEL_VARIABLES."""
    wanted = [*(collections or [GraphKeys.GLOBAL_VARIABLES]), GraphKeys.MODEL_VARIABLES]
    return variable(name, shape, dtype, initializer, regularizer, trainable, wanted, **options)


def get_variables(scope=None, suffix=None, collection=GraphKeys.GLOBAL_VARIABLES) -> list:
    """The variables of a collection whose names begin with a scope and end with a suffix."""
    scope = getattr(scope, "name", scope)
    if suffix is not None:
        scope = f"{scope or ''}.*{suffix}"
    return get_default_graph().get_collection(collection, scope)


def get_model_variables(scope=None, suffix=None) -> list:
    """The variables of layers."""
    return get_variables(scope, suffix, GraphKeys.MODEL_VARIABLES)


def get_local_variables(scope=None, suffix=None) -> list:
    """Local variables, such as those of metrics."""
    return get_variables(scope, suffix, GraphKeys.LOCAL_VARIABLES)


def get_trainable_variables(scope=None, suffix=None) -> list:
    """What optimizers train."""
    return get_variables(scope, suffix, GraphKeys.TRAINABLE_VARIABLES)


def get_variables_by_suffix(suffix, scope=None) -> list:
    """Variables whose names end with a suffix."""
    return get_variables(scope, suffix)


def get_variables_by_name(given_name, scope=None) -> list:
    """Variables of this name, in any scope, also with a number appended."""
    return get_variables(scope, suffix=f"/{given_name}:|^{given_name}:" if scope is None else f"/{given_name}:")


def get_unique_variable(var_op_name: str) -> Any:
    """The one variable with a name."""
    found = [v for v in get_variables(var_op_name) if v.op.name == var_op_name]
    if len(found) != 1:
        raise ValueError(f"Variable {var_op_name} {'is not unique' if found else 'does not exist or is not unique'}")
    return found[0]


def filter_variables(
    var_list: Sequence, include_patterns: Sequence[str] | None = None, exclude_patterns: Sequence[str] | None = None,
    reg_search: bool = True,
) -> list:
    """The variables of which a pattern matches the name and no other one does."""
    match = re.search if reg_search else re.match
    included = [v for v in var_list if include_patterns is None or any(match(p, v.name) for p in include_patterns)]
    return [v for v in included if not any(match(p, v.name) for p in exclude_patterns or ())]


def get_variables_to_restore(include=None, exclude=None) -> list:
    """The variables of scopes `include` (by default all), without those of scopes `exclude`."""
    for name, value in (("include", include), ("exclude", exclude)):
        if value is not None and not isinstance(value, (list, tuple)):
            raise TypeError(f"{name} is provided but is not a list or a tuple.")
    found = get_variables() if include is None else [v for scope in include for v in get_variables(scope)]
    left_out = {id(v) for scope in exclude or () for v in get_variables(scope)}
    return [v for v in found if id(v) not in left_out]


def assign_from_values(var_names_to_values: Mapping[str, Any]) -> tuple[Any, dict]:
    """An operation that gives variables values, and what must be fed to it."""
    assigns, feeds = [], {}
    for name, value in var_names_to_values.items():
        target = get_unique_variable(name)
        fed = placeholder(target.dtype.base_dtype, value.shape)
        assigns.append(target.assign(fed))
        feeds[fed] = value
    return group(*assigns), feeds


def assign_from_values_fn(var_names_to_values: Mapping[str, Any]) -> Callable[[Any], Any]:
    """A function of a session that gives variables values."""
    assign, feeds = assign_from_values(var_names_to_values)
    return lambda session: session.run(assign, feeds)


def _by_name(var_list: Any) -> dict[str, Any]:
    return dict(var_list) if isinstance(var_list, Mapping) else {v.op.name: v for v in var_list}


def assign_from_checkpoint_fn(
    model_path: str, var_list: Any, ignore_missing_vars: bool = False, reshape_variables: bool = False
) -> Callable[[Any], Any] | None:
    """A function of a session that gives variables the values of a checkpoint; None if it has none of them."""
    if not var_list:
        raise ValueError("var_list cannot be empty")
    wanted = _by_name(var_list)
    if ignore_missing_vars:
        known = load_checkpoint(model_path).get_variable_to_shape_map()
        for name in [name for name in wanted if name not in known]:
            logger.warning("Variable %s missing in checkpoint %s", name, model_path)
            del wanted[name]
    if not wanted:
        logger.warning("No Variables to restore")
        return None
    saver = Saver(wanted, reshape=reshape_variables)
    return lambda session: saver.restore(session, model_path)


def assign_from_checkpoint(model_path: str, var_list: Any, ignore_missing_vars: bool = False) -> tuple[Any, dict]:
    """An operation that gives variables the values of a checkpoint, and what must be fed to it."""
    reader = load_checkpoint(model_path)
    wanted = _by_name(var_list)
    missing = [name for name in wanted if not reader.has_tensor(name)]
    if missing and not ignore_missing_vars:
        raise ValueError(f"Checkpoint is missing variable [{missing[0]}]")
    values = {v.op.name: reader.get_tensor(name) for name, v in wanted.items() if name not in missing}
    return assign_from_values(values)
