"""Files under version 1's names, with its names of arguments."""

import reflow as tf

gfile = tf.compat.v1.gfile


def test_arguments_by_the_names_of_version_one(tmp_path):
    folder, first, second = str(tmp_path / "a" / "b"), str(tmp_path / "first"), str(tmp_path / "second")
    gfile.MakeDirs(dirname=folder)
    (tmp_path / "first").write_text("text")
    gfile.Copy(oldpath=first, newpath=second)
    gfile.Rename(oldname=second, newname=first, overwrite=True)
    assert gfile.Exists(filename=first) and not gfile.Exists(second) and gfile.IsDirectory(dirname=folder)
    assert gfile.Glob(filename=f"{tmp_path}/f*") == [first] and gfile.Stat(filename=first).length == 4
    gfile.Remove(filename=first)
    gfile.DeleteRecursively(dirname=str(tmp_path / "a"))
    assert gfile.ListDirectory(dirname=str(tmp_path)) == []
