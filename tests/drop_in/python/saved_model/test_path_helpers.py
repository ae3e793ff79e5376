"""Where the files of a SavedModel are."""

from reflow.drop_in.python.saved_model import path_helpers


def test_paths(tmp_path):
    assert path_helpers.get_saved_model_pb_path("m") == b"m/saved_model.pb"
    assert path_helpers.get_saved_model_pbtxt_path("m") == b"m/saved_model.pbtxt"
    assert path_helpers.get_variables_path("m") == "m/variables/variables"
    for kind in ("assets", "debug", "variables"):
        found = getattr(path_helpers, f"get_{kind}_dir")(tmp_path)
        assert found == str(tmp_path / kind) and not (tmp_path / kind).exists()
        for _ in range(2):
            assert getattr(path_helpers, f"get_or_create_{kind}_dir")(tmp_path) == found and (tmp_path / kind).is_dir()
