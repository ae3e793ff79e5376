"""Modules that load their names when these are used."""

import cmd
import inspect
import types
from abc import ABCMeta

from reflow.drop_in.python.util.module_wrapper import TFModuleWrapper, get_rename_v2


def wrapped(**options):
    return TFModuleWrapper(types.ModuleType("test"), "test", **options)


def test_names_are_loaded_once():
    module = wrapped(public_apis={"cmd": ("", "cmd"), "ABCMeta": ("abc", "ABCMeta")}, deprecation=False)
    assert inspect.ismodule(module) and "cmd" not in vars(module) and not module._fastdict_key_in("cmd")
    assert module.cmd is cmd and vars(module)["cmd"] is cmd and module._fastdict_key_in("cmd")
    assert module.ABCMeta is ABCMeta and not hasattr(module, "other")


def test_names_can_be_set_and_deleted():
    module = wrapped(public_apis={"cmd": ("", "cmd")})
    module.cmd, module.hello = 1, 2
    assert (module.cmd, module.hello) == (1, 2) and {"cmd", "hello"} <= set(module.__all__) and "hello" in dir(module)
    del module.hello
    assert not hasattr(module, "hello")


def test_a_deprecated_name_is_told_of_once(caplog):
    behind = types.ModuleType("test")
    behind.Session = behind.AUTO_REUSE = 3
    module = TFModuleWrapper(behind, "")
    with caplog.at_level("WARNING"):
        assert module.Session == 3 and module.Session == 3 and module.AUTO_REUSE == 3
    assert [r.getMessage() for r in caplog.records] == [
        f"The name tf.Session is deprecated. Please use {get_rename_v2('tf.Session')} instead.\n"]  # fmt: skip


def test_uses_of_version_one_are_noted():
    version_one = TFModuleWrapper(types.ModuleType("tensorflow.compat.v1"), "test", public_apis={"cosh": ("", "cmd")})
    assert not TFModuleWrapper.compat_v1_usage_recorded
    try:
        assert version_one.cosh is cmd and TFModuleWrapper.compat_v1_usage_recorded
    finally:
        TFModuleWrapper.compat_v1_usage_recorded = False
