"""The table of records completes itself when somebody asks for what is not there."""

import sys
import threading
import types

import pytest

from reflow.ops.record_table import RecordTable


@pytest.fixture
def table():
    """A table with one record, and another that is loaded when it is needed."""
    made = RecordTable()
    made.add("here", 1)
    made.loads = 0

    def load():
        made.loads += 1
        made.add("late", 2)

    made.complete_by(load)
    return made


def test_what_is_there_loads_nothing(table):
    assert table["here"] == 1 and "here" in table and table.get("here") == 1
    assert table.loads == 0


@pytest.mark.parametrize(
    "ask",
    [
        lambda t: t["late"] == 2,
        lambda t: "late" in t,
        lambda t: t.get("late") == 2,
        lambda t: list(t) == ["here", "late"],
        lambda t: len(t) == 2,
        lambda t: list(t.keys()) == ["here", "late"],
        lambda t: list(t.values()) == [1, 2],
        lambda t: list(t.items()) == [("here", 1), ("late", 2)],
    ],
)
def test_asking_for_more_loads_the_rest_once(table, ask):
    assert ask(table) and ask(table)
    assert table.loads == 1


def test_one_module_is_loaded_for_an_op_of_the_index(tmp_path, monkeypatch):
    """The module registers its op where the index says; nothing else is loaded."""
    table = RecordTable()
    (tmp_path / "its_module.py").write_text("import tables; tables.table.add('indexed', 3)")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(sys.modules, "tables", types.SimpleNamespace(table=table))
    table.complete_by(lambda: pytest.fail("all records were loaded"), lambda: {"indexed": "its_module"})
    assert "indexed" in table and table["indexed"] == 3
    assert table.homes == {"indexed": "its_module"}


def test_a_module_that_has_moved_is_found_by_loading_all(table):
    table.complete_by(table._load, lambda: {"late": "no_such_module_of_records"})
    assert table["late"] == 2 and table.loads == 1


def test_what_is_nowhere(table):
    assert "nowhere" not in table and table.get("nowhere", 3) == 3
    with pytest.raises(KeyError, match="nowhere"):
        table["nowhere"]
    assert table.loads == 1


def test_a_name_is_taken_once(table):
    with pytest.raises(ValueError, match="Op 'here' is registered twice."):
        table.add("here", 3)


def test_another_thread_waits_for_the_rest():
    table, started, found = RecordTable(), threading.Event(), []

    def load():
        other = threading.Thread(target=lambda: (started.set(), found.append(table["late"])))
        other.start()
        started.wait(60)
        table.add("late", 2)
        load.thread = other

    table.complete_by(load)
    assert table["late"] == 2
    load.thread.join(60)
    assert found == [2]


def test_an_interrupted_import_is_done_again(tmp_path, monkeypatch):
    """Ctrl-C while the module of an op is loaded: the next call loads it from its beginning."""
    (tmp_path / "interrupted_ops.py").write_text(
        "import table_of_ops as t\nt.table.add('first', 1)\nt.tries += 1\n"
        "if t.tries == 1:\n    raise KeyboardInterrupt\nt.table.add('second', 2)\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    table = RecordTable()
    table.complete_by(lambda: None, lambda: {"first": "interrupted_ops", "second": "interrupted_ops"})
    monkeypatch.setitem(sys.modules, "table_of_ops", types.SimpleNamespace(table=table, tries=0))
    with pytest.raises(KeyboardInterrupt):
        table["second"]
    assert table["second"] == 2 and table["first"] == 1
    with pytest.raises(ValueError, match="registered twice"):
        table.add("first", 3)
    sys.modules.pop("interrupted_ops")
