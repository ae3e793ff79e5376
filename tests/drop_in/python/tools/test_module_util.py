"""Folders of modules."""

import json
import os

from reflow.drop_in.python.tools import module_util


def test_folders():
    folder = os.path.dirname(json.__file__)
    assert module_util.get_parent_dir(json) == os.path.dirname(folder)
    assert module_util.get_parent_dir_for_name("json") == module_util.get_parent_dir_for_name("json.decoder") == folder
    assert (
        module_util.get_parent_dir_for_name("no_such.module") is None
        and module_util.get_parent_dir_for_name("no_such") is None
    )
