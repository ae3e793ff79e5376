"""`tf.keras.datasets` and `get_file`: download, cache and checksum, from a server on this machine."""

import hashlib
import http.server
import pathlib
import tarfile
import threading

import numpy as np
import pytest

import reflow

reflow.install_as_tensorflow()

from tensorflow import keras  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:tarfile")


class Handler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *args):
        pass

    def do_GET(self):
        self.server.asked.append(self.path)
        super().do_GET()


@pytest.fixture
def server(tmp_path):
    """A folder and the address under which it is served; `asked` counts downloads."""
    folder = tmp_path / "served"
    folder.mkdir()
    made = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), lambda *args: Handler(*args, directory=str(folder))
    )
    made.asked, made.folder, made.address = [], folder, f"http://127.0.0.1:{made.server_port}"
    thread = threading.Thread(target=made.serve_forever)
    thread.start()
    yield made
    made.shutdown()
    made.server_close()
    thread.join()


def digest(path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_files_are_kept_and_checked(server, tmp_path):
    file = server.folder / "numbers.txt"
    file.write_text("1 2 3")
    options = {"origin": f"{server.address}/numbers.txt", "cache_dir": str(tmp_path), "file_hash": digest(file)}
    path = pathlib.Path(keras.utils.get_file("numbers.txt", **options))
    assert path.read_text() == "1 2 3" and path.parent == tmp_path / "datasets"
    keras.utils.get_file("numbers.txt", **options)
    assert server.asked == ["/numbers.txt"]  # the second came from the cache
    path.write_text("damaged")
    assert pathlib.Path(keras.utils.get_file("numbers.txt", **options)).read_text() == "1 2 3"
    assert len(server.asked) == 2
    with pytest.raises(ValueError, match="Incomplete or corrupted file"):
        keras.utils.get_file("other.txt", **(options | {"file_hash": "0" * 64}))


def test_archives_are_unpacked(server, tmp_path):
    (tmp_path / "a.txt").write_text("inside")
    with tarfile.open(server.folder / "pack.tar.gz", "w:gz") as archive:
        archive.add(tmp_path / "a.txt", "pack/a.txt")
    path = keras.utils.get_file("pack", f"{server.address}/pack.tar.gz", cache_dir=str(tmp_path), extract=True)
    assert [p.read_text() for p in pathlib.Path(path).rglob("a.txt")] == ["inside"]


@pytest.mark.parametrize("name", ["mnist", "boston_housing", "imdb"])
def test_load_data(server, tmp_path, monkeypatch, name):
    """Keras' loaders as they are, with the server and checksum of this test in place of theirs."""
    (images, labels), (test_images, test_labels) = reflow.datasets.mnist_small()
    content = {
        "mnist": {
            "x_train": images[:50], "y_train": labels[:50], "x_test": test_images[:10], "y_test": test_labels[:10]
        },
        "boston_housing": {"x": np.arange(130.0).reshape(10, 13), "y": np.arange(10.0)},
        "imdb": {key: np.array([[1, 2], [3, 4, 5]] if key[0] == "x" else [0, 1], object if key[0] == "x" else int)
                 for key in ("x_train", "y_train", "x_test", "y_test")},
    }[name]  # fmt: skip
    np.savez(server.folder / f"{name}.npz", **content)
    module = __import__(f"keras.src.datasets.{name}", fromlist=["get_file"])

    def from_here(fname, origin, file_hash, **options):
        path = server.folder / f"{name}.npz"
        return keras.utils.get_file(
            fname, f"{server.address}/{path.name}", file_hash=digest(path), cache_dir=str(tmp_path), **options
        )

    monkeypatch.setattr(module, "get_file", from_here)
    (x_train, y_train), (x_test, y_test) = getattr(keras.datasets, name).load_data(f"{name}.npz")
    if name == "mnist":
        np.testing.assert_array_equal(x_train, images[:50])
        np.testing.assert_array_equal(y_test, test_labels[:10])
    elif name == "boston_housing":
        assert x_train.shape == (8, 13) and y_test.shape == (2,)
    else:
        # each begins with a start mark
        assert sorted(map(len, x_train)) == [3, 4] and sorted(y_train.tolist()) == [0, 1]
    assert server.asked == [f"/{name}.npz"]
