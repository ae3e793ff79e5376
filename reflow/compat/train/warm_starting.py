"""`tf.compat.v1.train.warm_start`: variables that begin with the values of another model's checkpoint,
also where its vocabulary was another."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from reflow.api.export import export
from reflow.compat.behavior import GraphKeys, get_default_graph
from reflow.compat.partitions.variables import PartitionedVariable, PartitionInfo
from reflow.compat.train.checkpoint_initializers import begin_with, checkpoint_prefix, init_from_checkpoint
from reflow.compat.train.vocabulary_remapping import load_and_remap_matrix_initializer
from reflow.core import errors
from reflow.core.logging import logger
from reflow.eager.variables import Variable
from reflow.train.checkpoint_reader import object_graph_key_mapping
from reflow.train.saveables import by_name


class _Vocabularies(NamedTuple):
    new_vocab: str
    new_vocab_size: int
    num_oov_buckets: int
    old_vocab: str
    old_vocab_size: int
    backup_initializer: Any
    axis: int


def _check_axis(axis: int) -> None:
    if axis not in (0, 1):
        raise ValueError(f"The only supported values for the axis argument are 0 and 1.  Provided axis: {axis}")


@export("compat.v1.train.VocabInfo", "estimator.VocabInfo", "compat.v1.estimator.VocabInfo")
class VocabInfo(_Vocabularies):
    """The vocabularies of a variable whose rows (`axis` 0) or columns (1) stand for words, now and in a checkpoint.

    Args:
      new_vocab, old_vocab: files with a word in each line.
      new_vocab_size, old_vocab_size: how many of the lines count; -1 for all of the old ones.
      num_oov_buckets: how many rows there are for other words; they are new.
      backup_initializer: what new words begin with; zeros by default.
      axis: 0 or 1.

    >>> tf.compat.v1.train.VocabInfo("new.txt", 5, 1, "old.txt").old_vocab_size
    -1
    """

    def __new__(
        cls, new_vocab, new_vocab_size, num_oov_buckets, old_vocab, old_vocab_size=-1, backup_initializer=None, axis=0
    ):
        _check_axis(axis)
        return super().__new__(
            cls, new_vocab, new_vocab_size, num_oov_buckets, old_vocab, old_vocab_size, backup_initializer, axis
        )


def inferred_name(variables: Iterable[Any]) -> str:
    """The name under which a checkpoint holds a variable: a list of one, or of the parts of one."""
    named = by_name(variables)
    if len(named) > 1:
        raise TypeError(f"`var` = {variables} passed as arg violates the constraints.  name_to_var_dict = {named}")
    return next(iter(named))


def _parts(variable: Any) -> list[Variable]:
    """The variables that one is made of."""
    if isinstance(variable, PartitionedVariable):
        return variable._get_variable_list()
    parts = variable if isinstance(variable, list) else [variable]
    if not all(isinstance(part, Variable) for part in parts):
        raise TypeError(
            "var MUST be one of the following: a Variable, list of Variable or PartitionedVariable, but is "
            f"{type(variable)}"
        )
    return parts


def variable_info(var: Any, prev_tensor_name: str | None = None) -> tuple[str, Any]:
    """(name in the checkpoint, what `init_from_checkpoint` takes) of a variable, its parts, or a partitioned one."""
    parts = _parts(var)
    return prev_tensor_name or inferred_name(parts), var if isinstance(var, Variable) else parts


def warm_start_with_vocabulary(
    var: Any, current_vocab_path: str, current_vocab_size: int, prev_ckpt: str, prev_vocab_path: str,
    previous_vocab_size: int = -1, current_oov_buckets: int = 0, prev_tensor_name: str | None = None,
    initializer: Any = None, axis: int = 0,
) -> None:
    """Let a variable begin with the rows or columns that a checkpoint has for the words of its vocabulary.

    Raises:
      ValueError: a path or a size is missing, or `axis` is neither 0 nor 1.
      TypeError: `var` is not a variable.
    """
    if not (current_vocab_path and current_vocab_size and prev_ckpt and prev_vocab_path):
        raise ValueError(
            "Invalid args: Must provide all of [current_vocab_path, current_vocab_size, prev_ckpt, prev_vocab_path}."
        )
    _check_axis(axis)
    parts = _parts(var)
    shapes: list[list[int]] = [part.shape.as_list() for part in parts]
    sizes = [sum(shape[0] for shape in shapes), shapes[0][1]]
    sizes[axis] = current_vocab_size
    which = ("row", "col")[axis]
    remapped: dict[str, Any] = {
        f"old_{which}_vocab_file": prev_vocab_path, f"new_{which}_vocab_file": current_vocab_path,
        f"num_{which}_oov_buckets": current_oov_buckets,
    }  # fmt: skip
    if axis == 0:
        remapped["old_row_vocab_size"] = previous_vocab_size
    initial = load_and_remap_matrix_initializer(
        checkpoint_prefix(prev_ckpt), prev_tensor_name or inferred_name(parts), sizes[0], sizes[1],
        initializer=initializer, **remapped,
    )
    for part, shape in zip(parts, shapes, strict=True):
        info = getattr(part, "_save_slice_info", None)
        where = None if info is None else PartitionInfo(info.full_shape, info.var_offset)
        begin_with(part, functools.partial(initial, shape, partition_info=where))


def grouped_variables(vars_to_warm_start: Any) -> dict[str, list]:
    """The variables that are meant, by name; parts of one are together."""
    graph = get_default_graph()
    chosen: list[Any]
    if vars_to_warm_start is None or isinstance(vars_to_warm_start, str):
        logger.info("Warm-starting variables only in TRAINABLE_VARIABLES.")
        chosen = graph.get_collection(GraphKeys.TRAINABLE_VARIABLES, vars_to_warm_start)
    elif not isinstance(vars_to_warm_start, list):
        raise ValueError(f"`vars_to_warm_start must be a `list` or `str`.  Given type is {type(vars_to_warm_start)}")
    elif all(isinstance(one, str) for one in vars_to_warm_start):
        chosen = [v for one in vars_to_warm_start for v in graph.get_collection(GraphKeys.GLOBAL_VARIABLES, one)]
    elif all(isinstance(one, Variable) for one in vars_to_warm_start):
        chosen = vars_to_warm_start
    else:
        raise ValueError("If `vars_to_warm_start` is a list, it must be all `Variable` or all `str`.  Given types are "
                         f"{[type(one) for one in vars_to_warm_start]}")
    found: dict[str, list] = {}
    for variable in chosen:
        found.setdefault(inferred_name([variable]), []).append(variable)
    return found


def object_keys(checkpoint: Any, names: Iterable[str]) -> dict[str, str]:
    """Where a checkpoint of objects has the variables of these names; {} if it is one of names."""
    try:
        keys = object_graph_key_mapping(checkpoint_prefix(checkpoint))
    except errors.NotFoundError:
        return {}
    missing = set(names) - set(keys)
    if missing:
        raise ValueError(
            "Attempting to warm-start from an object-based checkpoint, but found that the checkpoint did not contain "
            f"values for all variables. The following variables were missing: {missing}"
        )
    return {name: keys[name] for name in names}


def _check_used(argument: str, given: Mapping[str, Any], found: Mapping[str, Any]) -> None:
    unused = set(given) - set(found)
    if unused:
        raise ValueError(
            f"You provided the following variables in {argument} that were not used: {unused}.  Perhaps you misspelled "
            f"them?  Here is the list of viable variable names: {found.keys()}"
        )


@export("compat.v1.train.warm_start")
def warm_start(
    ckpt_to_initialize_from: Any, vars_to_warm_start: Any = ".*",
    var_name_to_vocab_info: Mapping[str, VocabInfo] | None = None,
    var_name_to_prev_var_name: Mapping[str, str] | None = None,
) -> None:
    """Let the initializers of variables of the current graph give the values of a checkpoint.

    Args:
      ckpt_to_initialize_from: a checkpoint, or the folder of one.
      vars_to_warm_start: a regular expression for names of trainable variables; a list of such for all variables; a
        list of variables; or None for those with vocabularies alone.
      var_name_to_vocab_info: for variables whose vocabulary has changed, the `VocabInfo`.
      var_name_to_prev_var_name: the names in the checkpoint, where they differ.

    Raises:
      ValueError: a name in one of the dictionaries is not a variable's, or a shape differs.

    >>> import tempfile
    >>> v1 = tf.compat.v1
    >>> with tf.Graph().as_default(), v1.Session() as session:
    ...     _ = session.run(v1.get_variable("w", initializer=3.0).initializer)
    ...     path = v1.train.Saver().save(session, tempfile.mkdtemp() + "/x")
    >>> with tf.Graph().as_default(), v1.Session() as session:
    ...     w = v1.get_variable("w", initializer=0.0)
    ...     v1.train.warm_start(path)
    ...     _ = session.run(w.initializer)
    ...     session.run(w).item()
    3.0
    """
    logger.info("Warm-starting from: %s", ckpt_to_initialize_from)
    found, vocabularies = grouped_variables(vars_to_warm_start), dict(var_name_to_vocab_info or {})
    previous = dict(var_name_to_prev_var_name or object_keys(ckpt_to_initialize_from, found))
    plain = []
    for name, variables in found.items():
        info, stored = vocabularies.get(name), previous.get(name)
        if info is not None:
            warm_start_with_vocabulary(
                variables, info.new_vocab, info.new_vocab_size, ckpt_to_initialize_from, info.old_vocab,
                info.old_vocab_size, info.num_oov_buckets, stored, info.backup_initializer, info.axis,
            )  # fmt: skip
        elif vars_to_warm_start:
            plain.append(variable_info(variables[0] if len(variables) == 1 else variables, stored))
    init_from_checkpoint(ckpt_to_initialize_from, plain)
    logger.info("Warm-started %d variables.", len(plain) + len(vocabularies.keys() & found.keys()))
    _check_used("var_name_to_prev_var_name", previous, found)
    _check_used("var_name_to_vocab_info", vocabularies, found)
