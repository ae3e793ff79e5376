"""`tensorflow.python.saved_model.path_helpers`: where the files of a SavedModel are."""

import os

from reflow.io import gfile


def _inside(folder, name, create):
    path = os.path.join(os.fspath(folder), name)
    if create and not gfile.exists(path):
        gfile.makedirs(path)
    return path


def get_assets_dir(export_dir):
    """The folder of assets."""
    return _inside(export_dir, "assets", create=False)


def get_or_create_assets_dir(export_dir):
    """The folder of assets, made if there is none."""
    return _inside(export_dir, "assets", create=True)


def get_debug_dir(export_dir):
    """The folder of debug information."""
    return _inside(export_dir, "debug", create=False)


def get_or_create_debug_dir(export_dir):
    """The folder of debug information, made if there is none."""
    return _inside(export_dir, "debug", create=True)


def get_variables_dir(export_dir):
    """The folder of variables."""
    return _inside(export_dir, "variables", create=False)


def get_or_create_variables_dir(export_dir):
    """The folder of variables, made if there is none."""
    return _inside(export_dir, "variables", create=True)


def get_variables_path(export_dir):
    """What the names of the files with variables begin with."""
    return os.path.join(get_variables_dir(export_dir), "variables")


def get_saved_model_pb_path(export_dir):
    """The file with the model, as bytes."""
    return os.fsencode(_inside(export_dir, "saved_model.pb", create=False))


def get_saved_model_pbtxt_path(export_dir):
    """The file with the model as text, as bytes."""
    return os.fsencode(_inside(export_dir, "saved_model.pbtxt", create=False))
