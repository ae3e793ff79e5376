"""What a dispatcher leaves in its working directory."""

import os

import pytest

from reflow.core import errors
from reflow.data.service.journal import DatasetFiles, Journal


def test_a_torn_last_record_is_dropped_and_a_damaged_one_is_an_error(tmp_path):
    def written():
        journal = Journal(tmp_path)
        found = list(journal.read())
        journal.write({"n": len(found)})
        journal.close()
        return found

    assert [written(), written()] == [[], [{"n": 0}]]
    path = Journal(tmp_path).path
    os.truncate(path, os.path.getsize(path) - 3)
    assert written() == [{"n": 0}]
    assert written() == [{"n": 0}, {"n": 1}]
    with open(path, "r+b") as file:
        file.seek(20)
        file.write(b"?")
    with pytest.raises(errors.DataLossError, match="corrupted record at 12"):
        written()
    journal = Journal(tmp_path)
    journal.close()
    with pytest.raises(errors.UnavailableError, match="stopped"):
        journal.write({})


def test_datasets_of_any_name_are_files(tmp_path):
    DatasetFiles(tmp_path)["../a"] = [b"pipeline", b"spec"]
    assert DatasetFiles(tmp_path)["../a"] == [b"pipeline", b"spec"]
