"""`.keras` and `.h5` files made to harm whoever loads them (rows 8 and 9 of the bad inputs)."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import zipfile

import h5py
import numpy as np
import pytest

import reflow as tf
from reflow.keras import hdf5_sizes

keras = tf.keras
pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation", "ignore:.*HDF5 file")
LIMIT = "REFLOW_MAX_UNPACKED_BYTES"


def model():
    return keras.Sequential([keras.layers.Input([2]), keras.layers.Dense(3)])


@pytest.fixture
def archive(tmp_path):
    model().save(tmp_path / "good.keras")
    return tmp_path / "good.keras"


@pytest.fixture
def h5(tmp_path):
    model().save(tmp_path / "good.h5")
    return tmp_path / "good.h5"


@pytest.fixture
def weights(tmp_path):
    model().save_weights(tmp_path / "good.weights.h5")
    return tmp_path / "good.weights.h5"


def members(path) -> dict:
    with zipfile.ZipFile(path) as file:
        return {name: file.read(name) for name in file.namelist()}


def written(path, content: dict):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in content.items():
            file.writestr(name, data)
    return path


def refused(text: str, function, *args, **kwargs):
    with pytest.raises(ValueError, match=text):
        function(*args, **kwargs)


# --- archives


@pytest.mark.parametrize("name", ["../evil.txt", "/tmp/evil.txt", "a/../../evil.txt", "..\\evil.txt"])
def test_an_archive_that_names_files_outside_itself(archive, name):
    path = written(archive.with_name("bad.keras"), members(archive) | {name: b"x", "assets/a": b"x"})
    refused("names a file outside itself", keras.models.load_model, path)
    refused("names a file outside itself", model().load_weights, path)
    assert not (archive.parent.parent / "evil.txt").exists()


@pytest.mark.parametrize("part", ["config.json", "model.weights.h5", "assets/a"])
def test_an_archive_that_unpacks_to_far_more_than_it_holds(archive, part, monkeypatch):
    monkeypatch.setenv(LIMIT, str(2**24))
    path = written(archive.with_name("bad.keras"), members(archive) | {part: b" " * 2**26})
    refused(f"unpacks to .* bytes, more than the limit of {2**24} .*{LIMIT}", keras.models.load_model, path)


def test_the_limit_can_be_raised_and_numbers_are_no_bomb(archive, monkeypatch):
    content = members(archive)
    content["config.json"] += b" " * 2**22
    path = written(archive.with_name("long.keras"), content)
    monkeypatch.setenv(LIMIT, str(2**20))
    refused(LIMIT, keras.models.load_model, path)
    monkeypatch.setenv(LIMIT, str(2**24))
    keras.models.load_model(path)
    monkeypatch.setenv(LIMIT, "1")
    keras.models.load_model(archive)


@pytest.mark.parametrize("config, text", [
    (b"[" * 100_000 + b"]" * 100_000, "damaged: RecursionError"), (b"{", "Expecting property name"),
    (None, "incomplete"),
])
def test_damaged_configurations(archive, config, text):
    content = members(archive) | {"config.json": config}
    path = written(archive.with_name("bad.keras"), {k: v for k, v in content.items() if v is not None})
    refused(text, keras.models.load_model, path)


def test_an_archive_whose_last_part_ends_early(archive):
    """The directory says that the weights are stored as they are, and go on beyond the end of the file."""
    content = members(archive)
    path = archive.with_name("cut.keras")
    with zipfile.ZipFile(path, "w") as file:
        for name in ("metadata.json", "config.json", "model.weights.h5"):
            file.writestr(name, content[name])
        file.infolist()[-1].compress_size = file.infolist()[-1].file_size = 2**20
    # newer Pythons see that parts overlap
    refused(f"{path} is damaged: (EOFError|BadZipFile: Overlapped entries)", keras.models.load_model, path)


def test_a_configuration_that_keras_does_not_expect(h5):
    with h5py.File(h5, "r+") as file:
        before, policy, after = file.attrs["model_config"].rpartition('"class_name": "DTypePolicy"')
        file.attrs["model_config"] = before + policy.replace("DTypePolicy", "str") + after
    refused(f"{h5} does not hold what Keras expects", keras.models.load_model, h5)


def test_errors_of_the_users_classes_stay_what_they_are(h5):
    class Dense(keras.layers.Dense):
        @classmethod
        def from_config(cls, config):
            raise AttributeError("mine")

    with pytest.raises(AttributeError, match="mine"):
        keras.models.load_model(h5, custom_objects={"Dense": Dense})


def test_a_damaged_archive(archive):
    data = archive.read_bytes()
    for size in range(0, len(data), 997):
        path = archive.with_name("cut.keras")
        path.write_bytes(data[:size])
        with pytest.raises((ValueError, OSError)):
            keras.models.load_model(path)


@pytest.mark.parametrize("named", [
    {"module": "os", "class_name": "system", "config": {"command": "true"}, "registered_name": None},
    {"module": "builtins", "class_name": "function", "config": "eval", "registered_name": "function"},
    {"module": "keras.src.utils.file_utils", "class_name": "get_file", "config": {"origin": "file:///etc/passwd"},
     "registered_name": None},
])
def test_a_configuration_that_names_any_function(archive, named):
    config = json.loads(members(archive)["config.json"])
    config["config"]["layers"].append(named)
    path = written(archive.with_name("bad.keras"), members(archive) | {"config.json": json.dumps(config).encode()})
    with pytest.raises((ValueError, TypeError)):
        keras.models.load_model(path)


@pytest.mark.parametrize("end", ["keras", "h5"])
def test_python_code_in_a_file(tmp_path, end):
    keras.Sequential([keras.layers.Input([2]), keras.layers.Lambda(lambda x: x * 2)]).save(tmp_path / f"code.{end}")
    refused("potential risk of arbitrary code execution", keras.models.load_model, tmp_path / f"code.{end}")


# --- HDF5


def kernel_of(file) -> str:
    found = []
    file.visititems(lambda name, held: found.append(name) if getattr(held, "ndim", 0) == 2 else None)
    return found[0]


def external_link(file, name):
    file[name] = h5py.ExternalLink("/no/such/file.h5", "x")


def external_data(file, name):
    file.create_dataset(name, (2, 3), "f4", external=[("/etc/passwd", 0, 24)])


def petabytes(file, name):
    file.create_dataset(name, (2**30, 2**20), "f4", chunks=(1024, 1024))


def many_zeros(file, name):
    file.create_dataset(name, (2**15, 2**15), "f4", chunks=(1024, 1024), compression="gzip")


@pytest.mark.parametrize("change, text", [
    (external_link, "Not allowed: H5 file with ExternalLink"),
    (external_data, "Not allowed: H5 file with external Dataset"), (petabytes, LIMIT), (many_zeros, LIMIT),
])
@pytest.mark.parametrize("kind", ["h5", "weights", "archive"])
def test_arrays_that_are_not_in_the_file(change, text, kind, h5, weights, archive):
    path = {"h5": h5, "weights": weights, "archive": weights}[kind]
    with h5py.File(path, "r+") as file:
        name = kernel_of(file)
        del file[name]
        change(file, name)
    if kind == "archive":
        inner = path
        path = written(archive.with_name("bad.keras"), members(archive) | {"model.weights.h5": inner.read_bytes()})
    load = model().load_weights if kind == "weights" else keras.models.load_model
    refused(text, load, path)


@pytest.mark.parametrize("kind", ["h5", "weights", "archive"])
@pytest.mark.parametrize("through", ["a link", "a link to a link", "a folder"])
def test_external_links_in_hdf5_files(through, kind, h5, weights, archive, tmp_path):
    """An array that is a link to another file, which is there and has the right shape, is not read from it."""
    path = h5 if kind == "h5" else weights
    with h5py.File(tmp_path / "secret.h5", "w") as secret, h5py.File(path, "r+") as file:
        name = kernel_of(file)
        folder, _, last = name.rpartition("/")
        secret.create_dataset(last, data=np.ones([2, 3], "f4"))
        if through == "a folder":
            del file[folder]
            file[folder] = h5py.ExternalLink(str(tmp_path / "secret.h5"), "/")
        else:
            del file[name]
            target = name if through == "a link" else "elsewhere"
            file[target] = h5py.ExternalLink(str(tmp_path / "secret.h5"), last)
            if target != name:
                file[name] = h5py.SoftLink("/elsewhere")
    if kind == "archive":
        path = written(archive.with_name("bad.keras"), members(archive) | {"model.weights.h5": path.read_bytes()})
    load = model().load_weights if kind == "weights" else keras.models.load_model
    refused("Not allowed: H5 file with (External|Soft)Link", load, path)


def test_a_link_that_leads_back_to_the_root(h5):
    with h5py.File(h5, "r+") as file:
        file["loop"] = h5py.SoftLink("/")
    assert keras.models.load_model(h5).count_params() == 9


def test_damaged_h5_files(h5):
    data = h5.read_bytes()
    path = h5.with_name("cut.h5")
    for size in (0, 10, 2000, len(data) // 2):
        path.write_bytes(data[:size])
        with pytest.raises((ValueError, OSError)):
            keras.models.load_model(path)
    shutil.copy(h5, path)
    with h5py.File(path, "r+") as file:
        file.attrs["model_config"] = json.dumps({"class_name": "os.system", "config": {"command": "true"}})
    with pytest.raises((ValueError, TypeError)):
        keras.models.load_model(path)


def test_pickles_in_arrays(tmp_path, archive):
    class Evil:
        def __reduce__(self):
            return os.mkdir, (str(tmp_path / "evil"),)

    np.savez(tmp_path / "model.weights.npz", a=np.array([Evil()], object))
    content = {k: v for k, v in members(archive).items() if k != "model.weights.h5"}
    content["model.weights.npz"] = (tmp_path / "model.weights.npz").read_bytes()
    with pytest.raises(ValueError):
        keras.models.load_model(written(archive.with_name("bad.keras"), content))
    assert not (tmp_path / "evil").exists()


def test_a_file_with_which_hdf5_does_not_end(monkeypatch):
    """A damaged table of names: HDF5 1.14 goes round in it for ever.

    Another version may find out, and Keras then refuses the file.
    """
    monkeypatch.setattr(hdf5_sizes, "SECONDS", 1)
    path = str(pathlib.Path(__file__).with_name("endless.h5"))
    with pytest.raises((ValueError, OSError, KeyError)):
        keras.models.load_model(path)


def test_hdf5_is_asked_in_a_process_of_its_own(h5, monkeypatch):
    """It counts what the arrays declare; a child that crashes is a damaged file,
    one that cannot be started asks here."""
    content = shutil.copy(h5, h5.with_name("copy.h5"))
    size = hdf5_sizes.declared(str(content))
    assert size == hdf5_sizes.of_file(str(content)) > 0
    monkeypatch.setattr(sys, "executable", "/nonexistent")
    assert hdf5_sizes.declared(str(content)) == size
    monkeypatch.undo()
    killed = subprocess.CompletedProcess([], -11, "", "")
    monkeypatch.setattr(subprocess, "run", lambda *args, **kwargs: killed)
    refused(
        "copy.h5 is damaged: HDF5's library does not come to an end with it, or crashes", keras.models.load_model,
        content,
    )


def test_a_file_of_this_process_is_not_asked_again(h5, monkeypatch):
    asked = []
    monkeypatch.setattr(hdf5_sizes, "declared", lambda *args: asked.append(args) or 0)
    keras.models.load_model(h5)
    assert not asked
    content = shutil.copy(h5, h5.with_name("copy.h5"))
    keras.models.load_model(content)
    keras.models.load_model(content)
    assert len(asked) == 1
