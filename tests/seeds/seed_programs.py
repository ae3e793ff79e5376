"""Running the seeds' programs: five documents that describe TensorFlow, whose code Reflow must run.

`programs/` holds the code blocks as the documents print them, one file a block, named after the document. A test puts
blocks together, supplies what the text leaves out (data, an earlier definition), and checks what the text says comes
out. `modules/` holds the modules that the programs import from elsewhere.
"""

import contextlib
import io
import itertools
import sys
import warnings
from pathlib import Path

import pytest

import reflow

reflow.install_as_tensorflow()

HERE = Path(__file__).parent


class Result(dict):
    """The names that a program leaves behind; `output` is what it printed."""

    output: str

    def __getattr__(self, name):
        return self[name]

    @property
    def lines(self):
        return self.output.splitlines()


class Runner:
    """Runs blocks as one program, `program.py` in a folder of its own, in this process."""

    def __init__(self, folder):
        self.folder, self.count = folder, itertools.count()

    def __call__(self, *blocks, before="", after="", replace=None, arguments=(), **names):
        """Run the blocks (names of files, or text), with `names` defined beforehand.

        `replace` shortens what takes long.
        """
        texts = [block if "\n" in block else (HERE / "programs" / f"{block}.py").read_text() for block in blocks]
        text = "\n".join([before, *texts, after])
        for old, new in (replace or {}).items():
            assert old in text, f"the program has no {old!r}"
            text = text.replace(old, new)
        file = self.folder / f"program{next(self.count)}.py"
        file.write_text(text)  # AutoGraph reads the source of functions
        namespace = {"__name__": "__main__", "__file__": str(file), **names}
        output = io.StringIO()
        argv, sys.argv = sys.argv, [str(file), *arguments]
        try:
            with contextlib.redirect_stdout(output), warnings.catch_warnings():
                warnings.simplefilter("ignore")  # the authors' business: files left open, what Keras remarks
                exec(compile(text, str(file), "exec"), namespace)
        finally:
            sys.argv = argv
        result = Result(namespace)
        result.output = output.getvalue()
        return result


@pytest.fixture
def run(tmp_path, monkeypatch):
    """The runner, in an empty working directory."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(HERE / "modules"))
    return Runner(tmp_path)


@pytest.fixture
def graph_mode():
    """For programs that turn version 2's behavior off.

    A default graph of their own, and eager code again afterwards.
    """
    from reflow.compat import behavior
    from reflow.core.context import State, state

    behavior.reset_default_graph()
    yield
    state.put({"graph": None})
    State.default_graph = None
    behavior.reset_default_graph()
