"""Locates the files of a model: asset names are not trusted."""

from __future__ import annotations

import os

from reflow.graph.refusals import within


def checked_path(folder: str, name: str) -> str:
    """The path of an asset inside a model's folder. ValueError for a name that leads out of it.

    >>> checked_path("/model", "words.txt")
    '/model/assets/words.txt'
    """
    root = os.path.join(folder, "assets")
    path = os.path.join(root, name)
    parts = name.replace("\\", "/").split("/")
    bad = not name or os.path.isabs(name) or ".." in parts or "\0" in name
    if bad or not within(root, path):
        raise ValueError(f"The SavedModel in {folder} names an asset outside its own folder: {name!r}.")
    return path
