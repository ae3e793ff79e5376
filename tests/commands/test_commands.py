"""`reflow WORD`: commands, and programs that are named like one."""

import importlib

from reflow import commands
from tests.drop_in.processes import python


def test_every_command_has_its_module():
    for word, (module, said) in commands.COMMANDS.items():
        assert callable(importlib.import_module(module).main), word
        assert said and not said.endswith("."), word


def test_help_names_every_command():
    shown = python("-m", "reflow", "--help").stdout
    assert all(f"  {word} " in shown for word in (*commands.COMMANDS, "run"))


def test_a_file_of_the_same_name_wins(tmp_path):
    (tmp_path / "doctor").write_text("import tensorflow as tf; print('a program', tf.add(1, 2).numpy())")
    for words in (["doctor"], ["run", "doctor"]):
        assert python("-m", "reflow", *words, cwd=tmp_path).stdout == "a program 3\n"


def test_run_without_a_program_explains_itself():
    done = python("-m", "reflow", "run")
    assert done.returncode == 2 and "usage:" in done.stdout
