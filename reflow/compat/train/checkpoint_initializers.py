"""`tf.compat.v1.train.init_from_checkpoint`: initializes variables from a checkpoint."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from reflow.api.array.arrange import identity
from reflow.api.export import export
from reflow.compat.behavior import GraphKeys, get_default_graph
from reflow.core.context import state
from reflow.core.logging import logger
from reflow.eager.variables import Variable
from reflow.ops.convert import convert_to_tensor
from reflow.ops.dispatch import run
from reflow.train import checkpoint_state
from reflow.train.checkpoint_reader import CheckpointReader, load_checkpoint
from reflow.train.saveables import saveables_of


@export("compat.v1.train.init_from_checkpoint")
def init_from_checkpoint(ckpt_dir_or_file: Any, assignment_map: Mapping | Iterable) -> None:
    """Let the initializers of variables read a checkpoint. Nothing is read before they run.

    `assignment_map` says which: `{"name in the file": variable or its name}`, or scopes, which end in `/`, for all
    variables below (`{"old/": "new/"}`, `{"/": "/"}` for everything). A list of such pairs is the same.

    >>> import tempfile
    >>> v1 = tf.compat.v1
    >>> with tf.Graph().as_default(), v1.Session() as session:
    ...     a = v1.get_variable("old/a", initializer=3.0)
    ...     _ = session.run(a.initializer)
    ...     path = v1.train.Saver().save(session, tempfile.mkdtemp() + "/x")
    >>> with tf.Graph().as_default(), v1.Session() as session:
    ...     a = v1.get_variable("new/a", initializer=0.0)
    ...     v1.train.init_from_checkpoint(path, {"old/": "new/"})
    ...     _ = session.run(v1.global_variables_initializer())
    ...     session.run(a).item()
    3.0
    """
    reader = load_checkpoint(ckpt_dir_or_file)
    path = checkpoint_prefix(ckpt_dir_or_file)
    pairs = assignment_map.items() if isinstance(assignment_map, Mapping) else assignment_map
    for stored, wanted in sorted(pairs, key=lambda pair: str(pair[0])):
        if isinstance(wanted, str) and stored.endswith("/"):
            for name, variable in _below(wanted, stored):
                _initialize(variable, path, _stored_name(reader, name, path), reader)
            continue
        variable = _named(wanted) if isinstance(wanted, str) else wanted
        _initialize(variable, path, _stored_name(reader, stored, path), reader)


def checkpoint_prefix(ckpt_dir_or_file: Any) -> str:
    return checkpoint_state.latest_checkpoint(ckpt_dir_or_file) or str(ckpt_dir_or_file)


def _variables() -> dict[str, Any]:
    """The variables of the graph by name; the parts of a partitioned one are a list."""
    found: dict[str, Any] = {}
    for variable in get_default_graph().get_collection(GraphKeys.GLOBAL_VARIABLES):
        info = getattr(variable, "_save_slice_info", None)
        if info is None:
            found[variable._shared_name] = variable
        else:
            found.setdefault(info.full_name, []).append(variable)
    return found


def _named(name: str) -> Any:
    variables = _variables()
    if name not in variables:
        raise ValueError(f"Variable {name} is not found among the variables {sorted(variables)}.")
    return variables[name]


def _below(scope: str, stored: str) -> list[tuple[str, Any]]:
    """(name in the file, variable) of each variable in a scope."""
    prefix, old = scope.removeprefix("/"), "" if stored == "/" else stored
    found = [(old + name.removeprefix(prefix), v) for name, v in _variables().items() if name.startswith(prefix)]
    if not found:
        raise ValueError(
            f"Assignment map with scope only name {stored!r} should map to scope only "
            f"{scope!r}: no variable lies in it."
        )
    return found


def _stored_name(reader: CheckpointReader, name: str, path: str) -> str:
    if not reader.has_tensor(name):
        raise ValueError(f"Tensor {name} is not found in {path} checkpoint {reader.get_variable_to_dtype_map()}")
    return name


def _initialize(variable: Any, path: str, name: str, reader: CheckpointReader) -> None:
    parts = variable if isinstance(variable, (list, tuple)) else [variable]
    for part in parts:
        if not isinstance(part, Variable):
            raise TypeError(f"A value of the assignment map must be a variable or a name. Received: {part!r}")
        if len(parts) == 1 and not part.shape.is_compatible_with(reader.get_variable_to_shape_map()[name]):
            shape = reader.get_variable_to_shape_map()[name]
            raise ValueError(
                f"Shape of variable {part.name} ({part.shape}) doesn't match with shape of tensor {name} ({shape}) "
                "from checkpoint reader."
            )
    for saveable in saveables_of(variable, name):
        _restore_first(saveable, path, name)
    logger.info("Initialize variable %s from checkpoint %s with %s", getattr(parts[0], "name", name), path, name)


def _restore_first(saveable: Any, path: str, name: str) -> None:
    (spec,) = saveable.specs
    begin_with(saveable.op, lambda: _value(path, name, spec))


def begin_with(variable: Any, value: Callable[[], Any]) -> None:
    """Replace a variable's initializer; an eager variable gets the value now."""
    graph = state.graph
    if graph is None:
        variable.assign(value())
        return
    with graph.scope(None), graph.scope("checkpoint_initializer"), graph.control_dependencies(None):
        variable._initial_value = identity(value())
        run("AssignVariableOp", variable.handle, variable._initial_value, dtype=variable.dtype)
        variable._initializer = graph.nodes[-1]


def _value(path: str, name: str, spec: Any) -> Any:
    texts = [convert_to_tensor(text) for text in (path, [name], [spec.slice_spec])]
    found = run("RestoreV2", *texts, dtypes=[spec.dtype])
    return found[0] if isinstance(found, (list, tuple)) else found
