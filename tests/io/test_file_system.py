"""`tf.io.gfile`: files of this machine, with TensorFlow's errors."""

import pytest

import reflow as tf


def test_gfile(tmp_path):
    files = tf.io.gfile
    folder = files.join(str(tmp_path), "a", "b")
    files.makedirs(folder)
    with files.GFile(files.join(folder, "x.txt"), "w") as f:
        f.write("one\ntwo\n")
    path = files.join(folder, "x.txt")
    with files.GFile(path) as f:
        assert f.read(3) == "one" and f.tell() == 3 and f.size() == 8
        f.seek(0)
        assert list(f) == ["one\n", "two\n"]
    assert files.exists(path) and files.isdir(folder)
    assert files.listdir(folder) == ["x.txt"] and files.glob(folder + "/*") == [path]
    with pytest.raises(tf.errors.AlreadyExistsError):
        files.copy(path, path)
    files.copy(path, path + "2")
    files.rename(path + "2", path, overwrite=True)
    assert files.stat(path).length == 8 and not files.stat(path).is_directory
    files.remove(path)
    files.rmtree(str(tmp_path / "a"))
    assert not files.exists(folder)
    with pytest.raises(tf.errors.NotFoundError):
        files.GFile(path).read()
    with pytest.raises(tf.errors.NotFoundError):
        files.remove(path)
    with pytest.raises(tf.errors.UnimplementedError, match="File system scheme 'gs' not implemented"):
        files.exists("gs://bucket/x")
