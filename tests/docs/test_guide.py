"""The guide: every Python block of every page runs and prints what it says; links lead somewhere.

The site lists all pages.
"""

import json
import re

import pytest

from tests import ROOT
from tests.drop_in.processes import python
from tools import make_docs

DOCS = ROOT / "docs"
PAGES = sorted((DOCS / "guide").rglob("*.md"))


def program(page) -> str:
    """The Python blocks of a page, one after the other: a page is one program."""
    return "\n".join(re.findall(r"^```python\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL))


@pytest.mark.parametrize("half", [0, 1])
def test_pages_run(half, tmp_path):
    """In two halves, one for each core. A line `# -> x` promises that x is printed."""
    programs = {}
    for page in [page for page in PAGES if program(page)][half::2]:
        file = tmp_path / (page.relative_to(DOCS).as_posix().replace("/", "-") + ".py")
        file.write_text(program(page))
        programs[str(file)] = page
    runner = ROOT / "tests" / "docs" / "example_runner.py"
    done = python("-W", "error::UserWarning", "-m", "reflow", runner, *programs, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    wrong = []
    for path, (status, output) in json.loads(done.stdout).items():
        promised = re.findall(r"# -> (.+)$", program(programs[path]), re.MULTILINE)
        printed = [line for line in output.splitlines() if line]
        if (
            status
            or (promised != printed if "tf.explain(" not in program(programs[path]) else "on the host" not in output)
        ):
            wrong.append(f"{programs[path].name}: exit status {status}\npromised {promised}\nprinted {printed}")
    assert not wrong, "\n".join(wrong)


def test_links_lead_somewhere():
    dead = []
    for page in [*DOCS.rglob("*.md"), ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "examples" / "README.md"]:
        for target in re.findall(r"\]\((?!https?:|#)([^)#\s]+)", page.read_text()):
            if not (page.parent / target).exists():
                dead.append(f"{page.relative_to(ROOT)}: {target}")
    assert not dead


def test_the_site_lists_every_page():
    listed = set(re.findall(r"[\w/-]+\.md", (ROOT / "mkdocs.yml").read_text()))
    written = {page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md")} - {"guide/index.md"}
    assert listed == written | {"index.md", "reference/index.md"}  # tools/make_docs.py makes these two


def test_the_site_drops_links_that_lead_out_of_it():
    page = DOCS / "guide" / "x.md"
    text = "[GPU](../gpu.md#a), [`core/`](../../reflow/core), [readme](../../README.md), [web](https://example.org)"
    assert make_docs.inside(text, page) == "[GPU](../gpu.md#a), `core/`, `readme`, [web](https://example.org)"


def test_the_reference_shows_signature_and_example():
    def double(x, name=None):
        """Twice x[0] < 1.

        Args:
          x: a number, or
            `x[0]`.
          name: of the operation.

        >>> double(1)
        2
        """

    wanted = (
        "## double\n\n```python\ntf.double(x, name=None)\n```\n\nTwice x\\[0] &lt; 1.\n\n**Args**\n\n- `x`: a number, "
        "or `x[0]`.\n- `name`: of the operation.\n\n"
        "```pycon\n>>> double(1)\n2\n```"
    )
    assert make_docs.entry("tf", "double", double) == wanted


def test_underscores_of_a_namespace_are_no_markdown(tmp_path):
    assert make_docs.page(tmp_path, "__operators__", []) == r"- [tf.\_\_operators\_\_](tf.__operators__.md): 0"
    assert (tmp_path / "tf.__operators__.md").read_text() == "# tf.\\_\\_operators\\_\\_\n"
