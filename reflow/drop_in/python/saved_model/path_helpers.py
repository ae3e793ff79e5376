"""`tensorflow.python.saved_model.path_helpers`: where the files of a SavedModel are."""

import os

from reflow.io import gfile


def _folder(name):
    """Two functions of a SavedModel's folder: the path of a folder inside it, and the same, made where missing."""

    def get(export_dir):
        return os.path.join(os.fspath(export_dir), name)

    def get_or_create(export_dir):
        path = get(export_dir)
        if not gfile.exists(path):
            gfile.makedirs(path)
        return path

    return get, get_or_create


get_assets_dir, get_or_create_assets_dir = _folder("assets")
get_debug_dir, get_or_create_debug_dir = _folder("debug")
get_variables_dir, get_or_create_variables_dir = _folder("variables")


def get_variables_path(export_dir):
    """What the names of the files with variables begin with."""
    return os.path.join(get_variables_dir(export_dir), "variables")


def get_saved_model_pb_path(export_dir):
    """The file with the model, as bytes."""
    return os.fsencode(os.path.join(os.fspath(export_dir), "saved_model.pb"))


def get_saved_model_pbtxt_path(export_dir):
    """The file with the model as text, as bytes."""
    return os.fsencode(os.path.join(os.fspath(export_dir), "saved_model.pbtxt"))
