"""`tf.compat.v1.train.warm_start`: variables that begin with the values of another model's checkpoint, also where its vocabulary was another."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from reflow.api.array import creation
from reflow.api.export import export
from reflow.api.math import arithmetic
from reflow.compat import graph_variables
from reflow.compat.train.checkpoint_initializers import begin_with, init_from_checkpoint
from reflow.core.logging import logger
from reflow.eager.variables import Variable
from reflow.ops.convert import convert_to_tensor
from reflow.train.checkpoint_reader import load_checkpoint


class _Vocabularies(NamedTuple):
    new_vocab: str
    new_vocab_size: int
    num_oov_buckets: int
    old_vocab: str
    old_vocab_size: int
    backup_initializer: Any
    axis: int


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
        if axis not in (0, 1):
            raise ValueError(f"The only supported values for the axis argument are 0 and 1.  Provided axis: {axis}")
        return super().__new__(cls, new_vocab, new_vocab_size, num_oov_buckets, old_vocab, old_vocab_size, backup_initializer, axis)

    def remapped(self, variable: Any, stored: np.ndarray) -> Any:
        """The initial value of a variable: the stored parts of the words that both vocabularies have, and the backup's."""
        new, old = _words(self.new_vocab, self.new_vocab_size), _words(self.old_vocab, self.old_vocab_size)
        shape = variable.shape.as_list()
        if shape[self.axis] != len(new) + self.num_oov_buckets:
            raise ValueError(f"Variable {variable.name} has {shape[self.axis]} entries for {len(new)} words and {self.num_oov_buckets} others.")
        places = {word: i for i, word in enumerate(old)}
        known = [(i, places[word]) for i, word in enumerate(new) if word in places]
        values, kept = np.zeros(shape, stored.dtype), np.zeros(shape, bool)
        if known:
            to, source = (list(part) for part in zip(*known, strict=True))
            np.moveaxis(values, self.axis, 0)[to] = np.moveaxis(stored, self.axis, 0)[source]
            np.moveaxis(kept, self.axis, 0)[to] = True
        backup: Callable[..., Any] = self.backup_initializer or creation.zeros
        return arithmetic.where(kept, convert_to_tensor(values), backup(shape, dtype=variable.dtype))


def _words(path: str, size: int) -> list[str]:
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    if size > len(lines):
        raise ValueError(f"Vocabulary file {path} has {len(lines)} words; {size} are asked for.")
    return lines if size == -1 else lines[:size]


def _name(variable: Any) -> str:
    return str(variable.name.removesuffix(":0"))


def _chosen(given: Any) -> list:
    """The variables that a pattern means, among those that are trained; several patterns, among all; or the variables given."""
    if given is None:
        return []
    if isinstance(given, str):
        return [v for v in graph_variables.trainable_variables() if re.match(given, _name(v))]
    if all(isinstance(one, str) for one in given):
        return [v for v in graph_variables.global_variables() if any(re.match(one, _name(v)) for one in given)]
    if not all(isinstance(one, Variable) for one in given):
        raise ValueError("If `vars_to_warm_start` is a list, it must be all `Variable` or all `str`.  Given types are "
                         f"{[type(one) for one in given]}")
    return list(given)


@export("compat.v1.train.warm_start")
def warm_start(
    ckpt_to_initialize_from: Any, vars_to_warm_start: Any = ".*", var_name_to_vocab_info: Mapping[str, VocabInfo] | None = None,
    var_name_to_prev_var_name: Mapping[str, str] | None = None,
) -> None:
    """Let the initializers of variables of the current graph give the values of a checkpoint.

    Args:
      ckpt_to_initialize_from: a checkpoint, or the folder of one.
      vars_to_warm_start: a regular expression for names of trainable variables; a list of such for all variables; a list of variables; or
        None for those with vocabularies alone.
      var_name_to_vocab_info: for variables whose vocabulary has changed, the `VocabInfo`.
      var_name_to_prev_var_name: the names in the checkpoint, where they differ.

    Raises:
      ValueError: a name in one of the dictionaries is no variable's, or a shape is another.

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
    vocabularies, previous = dict(var_name_to_vocab_info or {}), dict(var_name_to_prev_var_name or {})
    logger.info("Warm-starting from: %s", ckpt_to_initialize_from)
    everything = {_name(v): v for v in graph_variables.global_variables()}
    for word, names in (("var_name_to_prev_var_name", previous), ("var_name_to_vocab_info", vocabularies)):
        unused = sorted(set(names) - set(everything))
        if unused:
            raise ValueError(f"You provided the following variables in {word} that were not used: {unused}.  Perhaps you misspelled them?  "
                             f"Here is the list of viable variable names: {sorted(everything)}")
    chosen = {_name(v): v for v in _chosen(vars_to_warm_start)}
    plain = {name: v for name, v in chosen.items() if name not in vocabularies}
    init_from_checkpoint(ckpt_to_initialize_from, [(previous.get(name, name), v) for name, v in plain.items()])
    for name, info in vocabularies.items():
        stored = load_checkpoint(ckpt_to_initialize_from).get_tensor(previous.get(name, name))
        begin_with(everything[name], functools.partial(info.remapped, everything[name], stored))
