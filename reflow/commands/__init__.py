"""The subcommands of `reflow` (or `python -m reflow`) other than running a program: one module per command.

A command's module has `main(arguments: list[str]) -> int`, which returns the exit status. It is imported on use. A file
of the command's name in the working directory takes precedence, as with `python WORD`; `reflow run WORD` and `./WORD`
always mean the file.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable

#: runs the program that a list of arguments names
run_program: Callable[[list[str]], int | None]


def runs_programs(main: Callable[[list[str]], int | None]) -> Callable[[list[str]], int | None]:
    """Decorates what `run_program` is: the `main` of `reflow/__main__.py`, which commands must not import."""
    global run_program
    run_program = main
    return main


#: word -> module, what it does in one line
COMMANDS = {
    "explain": ("reflow.commands.explain", "run a program, then say what took its time, at which line, and what to do"),
    "bench": ("reflow.commands.bench", "time common steps on this machine, on request beside TensorFlow"),
    "engine": ("reflow.engine.command", "build, show and measure inference engines (docs/engine.md)"),
    "inspect-checkpoint": ("reflow.commands.inspect_checkpoint", "print what a checkpoint holds"),
    "kernel": ("reflow.commands.kernel", "install a Jupyter kernel in which `import tensorflow` finds Reflow"),
    "saved-model": ("reflow.commands.saved_model", "show, run, scan or freeze a SavedModel, as `saved_model_cli` does"),
    "upgrade": ("reflow.upgrade.command", "rewrite programs of TensorFlow 1 for TensorFlow 2 (tf_upgrade_v2)"),
    "doctor": ("reflow.commands.doctor", "check this installation, and say what to do about each problem"),
}


def is_command(word: str) -> bool:
    """Whether the first argument is a command.

    >>> is_command("doctor"), is_command("train.py")
    (True, False)
    """
    return word in COMMANDS and not os.path.exists(word)


def run(word: str, arguments: list[str]) -> int:
    """Run a command; its exit status."""
    module, _ = COMMANDS[word]
    return importlib.import_module(module).main(arguments)


def summary() -> str:
    """The lines about commands in `reflow --help`.

    >>> print(summary())  # doctest: +ELLIPSIS
      run ...
    """
    lines = {"run": "run a program, even one that is named like a command"} | {
        word: said for word, (_, said) in COMMANDS.items()
    }
    return "\n".join(f"  {word:<19} {said}" for word, said in lines.items())
