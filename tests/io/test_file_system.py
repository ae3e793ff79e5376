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


def test_paths_found_by_a_pattern_that_begins_with_a_wildcard_begin_with_a_dot(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("a.txt", "b.txt", "sub/c.txt"):
        tf.io.write_file(name, "")
    assert tf.io.matching_files("*.txt").numpy().tolist() == [b"./a.txt", b"./b.txt"]
    assert tf.io.matching_files(["a.txt", "*/c.txt"]).numpy().tolist() == [b"./sub/c.txt", b"a.txt"]
    assert tf.io.gfile.glob("*.txt") == ["./a.txt", "./b.txt"] and tf.io.gfile.glob("sub/*") == ["sub/c.txt"]
    assert [x.numpy() for x in tf.data.Dataset.list_files("?.txt", shuffle=False)] == [b"./a.txt", b"./b.txt"]


def test_folders_that_exist(tmp_path):
    files, here, file = tf.io.gfile, str(tmp_path), str(tmp_path / "file")
    tf.io.write_file(file, "x")
    for path in (here, file):
        files.mkdir(path)  # as in TensorFlow, nothing happens
    files.makedirs(here)
    for path in (file, f"{file}/a/b"):
        with pytest.raises(tf.errors.FailedPreconditionError, match=f"{file} is not a directory"):
            files.makedirs(path)
    with pytest.raises(tf.errors.NotFoundError, match="/a/b"):
        files.mkdir(f"{here}/a/b")
    with pytest.raises(tf.errors.NotFoundError, match=f"{here}/none not found"):
        files.rmtree(f"{here}/none")
    assert files.listdir(here) == ["file"]


def test_only_text_and_bytes_are_written(tmp_path):
    path = str(tmp_path / "x")
    with tf.io.gfile.GFile(path, "w") as file:
        for wrong in (3, None, [1, 2]):
            with pytest.raises(TypeError, match="Expected binary or unicode string, got "):
                file.write(wrong)
        file.write(b"a")
        file.write(bytearray(b"b"))
    with tf.io.gfile.GFile(path) as file:
        assert file.read() == "ab"
