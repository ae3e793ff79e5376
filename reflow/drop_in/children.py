"""Processes that this one spawns inherit the drop-in."""

from __future__ import annotations

import os


class _InstallOnUnpickle:
    """Installs the drop-in where it is unpickled: by `exec`, since a child may not find `reflow` by itself yet."""

    def __reduce__(self):
        folder = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
        code = (
            f"import sys; sys.path.append({folder!r})\n"
            "import reflow.drop_in.install as drop_in; drop_in.install_as_tensorflow()"
        )
        return exec, (code, {})


def install_in_children() -> None:
    """Let processes that `multiprocessing` spawns inherit the drop-in.

    A spawned child unpickles *preparation data* (paths, arguments), runs the main module again, then unpickles its
    task. The drop-in has to be there before, so it travels as one more entry of that data. `fork` needs nothing. A fork
    server, which has no such entry, gets no path of the main module, which Python 3.14 would run in the server.
    """
    from multiprocessing import spawn

    prepare = spawn.get_preparation_data

    def get_preparation_data(name):
        data = prepare(name)
        if name == "ignore":  # what the fork server calls itself
            data.pop("init_main_from_path", None)
        return {"reflow": _InstallOnUnpickle(), **data}

    spawn.get_preparation_data = get_preparation_data
