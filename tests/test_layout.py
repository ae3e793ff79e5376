"""`docs/layout.md` lists the folders that exist, in the order of the layers."""

import re
from pathlib import Path

from tests.test_layers import PACKAGE, RANK

PAGE = Path(__file__).parent.parent / "docs" / "layout.md"


def listed() -> list[str]:
    """The folders that the page lists, relative to reflow/: lines such as "- `reflow/core/`: …"."""
    return re.findall(r"^ *- `reflow/([\w/]+)/`: \S", PAGE.read_text(), re.MULTILINE)


def existing() -> set[str]:
    folders = {file.parent.relative_to(PACKAGE).as_posix() for file in PACKAGE.rglob("*.py")}
    # one per namespace, generated; and one per package of TensorFlow's
    return {
        f for f in folders - {"."}
        if not f.startswith(("public/", "drop_in/python/", "drop_in/core/", "drop_in/tools/"))
    }


def test_the_page_lists_the_tree():
    assert set(listed()) == existing()


def test_each_folder_once_and_in_data_order():
    folders = listed()
    assert len(folders) == len(set(folders))
    ranks = [RANK[folder.split("/")[0]] for folder in folders]
    assert ranks == sorted(ranks)
