"""Errors of users' functions in pipelines: which stage called the function, and where that stands.

A stage whose function fails notes itself in the error, and so does each stage that was reading the dataset of an
element. The iterator's resource, which knows the whole pipeline, then puts TensorFlow's words before the message:

    Error in user-defined function passed to MapDataset transformation with iterator: Iterator::Root::FlatMap[0]::Map: …
"""

from __future__ import annotations

from reflow.core import errors
from reflow.data.engine.values import DatasetValue

_STAGES = "stages"  # the attribute of an error in which stages note themselves, the innermost first


def note(error: errors.OpError, stage: DatasetValue) -> None:
    """Note a stage whose function has raised an error."""
    vars(error).setdefault(_STAGES, []).append(stage)


def note_outer(error: errors.OpError, stage: DatasetValue) -> None:
    """Note a stage that reads the dataset in which an error was raised, if that was noted and was not the last."""
    if vars(error).get(_STAGES, [stage])[-1] is not stage:
        note(error, stage)


def tell(error: errors.OpError, root: DatasetValue) -> None:
    """Put the stages that an error has noted into its message; `root` is the last stage of the pipeline."""
    stages = vars(error).pop(_STAGES, None)
    if not stages or stages[0].hidden:
        return
    *outer, innermost = (".." if path is None else "::".join(path) for path in _paths(root, stages))
    where = "::".join(["Iterator::Root", *(f"{path}[0]" for path in outer), innermost])
    recipe = stages[0].recipe or getattr(stages[0].origin, "recipe", None)
    called = recipe.op if recipe is not None else stages[0].name
    context = f"Error in user-defined function passed to {called} transformation with iterator: {where}: "
    lead, between, rest = _split(error.message)
    error._message = lead + between + context + rest


def _split(message: str) -> tuple[str, str, str]:
    """The user's line in a message that begins with it, a blank line, and the rest."""
    if not message.startswith("Graph execution error:"):
        return "", "", message
    heading, blank, rest = message.partition("\n\n")
    if not rest.startswith("Detected at node"):
        return heading, blank, rest
    line, after, rest = rest.partition("\n\n")
    return heading + blank + line, after, rest


def _paths(root: DatasetValue, stages: list) -> list:
    """The names of stages on the way to each noted stage, from the outermost pipeline on.

    Only that of `root` can be walked.
    """
    *inner, outermost = stages
    return [_path(root, outermost), *([stage.name + stage.version] for stage in reversed(inner))]


def _path(stage: DatasetValue, wanted: DatasetValue) -> list[str] | None:
    if stage.inputs is wanted.inputs:  # iterators may have a copy of the stage, but share this tuple
        return [stage.name + stage.version]
    for at, source in enumerate(stage.inputs):
        found = _path(source, wanted)
        if found is not None:
            label = stage.label(at)
            return [label + stage.version, *found] if label else found
    return None
