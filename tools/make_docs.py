"""`make docs`: puts the site's pages together below build/docs, for MkDocs (mkdocs.yml).

    python tools/make_docs.py        # then: mkdocs build

The pages are those of docs/, with docs/guide/index.md as the first. Links that lead out of docs/ (to sources, tests,
files at the root) become plain text: the site has no such pages. The reference is made from the docstrings of the
public namespaces, one page for each.
"""

from __future__ import annotations

import inspect
import re
import shutil
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

SOURCE, TARGET = ROOT / "docs", ROOT / "build" / "docs"
LINK = re.compile(r"(?<!!)\[([^\]]+)\]\((?!https?:|#)([^)#\s]+)(#[^)]*)?\)")


def main() -> None:
    shutil.rmtree(TARGET, ignore_errors=True)
    for page in SOURCE.rglob("*.md"):
        target = TARGET / page.relative_to(SOURCE)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(inside(page.read_text(), page))
    for folder in ("pictures", "measurements"):
        shutil.copytree(SOURCE / folder, TARGET / folder)
    for picture in SOURCE.glob("*.svg"):
        shutil.copy(picture, TARGET)
    first = inside((SOURCE / "guide" / "index.md").read_text(), SOURCE / "guide" / "index.md")
    (TARGET / "guide" / "index.md").unlink()
    first = LINK.sub(lambda m: f"[{m[1]}](guide/{m[2]}{m[3] or ''})", first)
    (TARGET / "index.md").write_text(first.replace("](../pictures/", "](pictures/"))
    for page in (TARGET / "guide").rglob("*.md"):
        page.write_text(page.read_text().replace("](../index.md)", "](../../index.md)"))
    write_reference(TARGET / "reference")


def inside(text: str, page: Path) -> str:
    """A page's text without links that lead out of docs/."""

    def kept(match: re.Match[str]) -> str:
        target = (page.parent / match[2]).resolve()
        stays = target.is_relative_to(SOURCE) and target.suffix == ".md" and target.exists()
        return match[0] if stays else match[1] if match[1].startswith("`") else f"`{match[1]}`"

    return LINK.sub(kept, text)


def write_reference(folder: Path) -> None:
    """One page for each public namespace, with the signature and docstring of every function and class."""
    from reflow import loading
    from reflow.api.export import TABLE

    loading.everything()
    spaces: dict[str, list[tuple[str, object]]] = {}
    shown: set[int] = set()
    for name, thing in sorted(TABLE.items(), key=lambda item: (item[0].startswith("compat.v1."), item[0])):
        if not (inspect.isfunction(thing) or inspect.isclass(thing)) or name.startswith("__internal__."):
            continue
        if name.startswith("compat.v1.") and id(thing) in shown:
            continue  # the same as in version 2, or as under an earlier name
        shown.add(id(thing))
        space, _, last = name.rpartition(".")
        spaces.setdefault(space, []).append((last, thing))
    folder.mkdir(parents=True)
    of_one = sorted(space for space in spaces if space.startswith("compat.v1"))
    of_two = sorted(space for space in spaces if space not in of_one)
    lines = ["# Reference", "", "Every public function and class, by namespace. `tf.keras` is Keras' own.", ""]
    lines += [page(folder, space, spaces[space]) for space in of_two]
    lines += ["", "## TensorFlow 1", "", "What `tf.compat.v1` has of its own; the rest of it is as above.", ""]
    lines += [page(folder, space, spaces[space]) for space in of_one]
    (folder / "index.md").write_text("\n".join(lines) + "\n")


def page(folder: Path, space: str, things: list[tuple[str, object]]) -> str:
    """Writes the page of a namespace; the line that leads to it."""
    name = f"tf.{space}" if space else "tf"
    title = name.replace("_", "\\_")  # two of them would make bold letters
    (folder / f"{name}.md").write_text(
        "\n\n".join([f"# {title}", *(entry(name, last, thing) for last, thing in things)]) + "\n"
    )
    return f"- [{title}]({name}.md): {len(things)}"


def entry(space: str, name: str, thing: object) -> str:
    """The section of one function or class."""
    try:
        signature = str(inspect.signature(thing))  # type: ignore[arg-type]
    except (TypeError, ValueError):
        signature = "(...)"
    text = inspect.cleandoc(getattr(thing, "__doc__", None) or "")
    call = "\n".join(textwrap.wrap(
        f"{space}.{name}{signature}", 88, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False
    ))
    title = name.replace("_", "\\_")
    return f"## {title}\n\n```python\n{call}\n```\n\n{body(text)}"


SECTION = re.compile(r"(Args|Arguments|Attributes|Returns|Raises|Yields|Reads|Call arguments):[ \t]*\n?")
ITEM = re.compile(r"(\*{0,2}\w+)(?: \([^)]*\))?: ?(.*)", re.DOTALL)


def body(text: str) -> str:
    """A docstring as Markdown: examples in a fixed font, arguments and results as lists, the rest as it is."""
    parts = []
    for paragraph in re.split(r"\n\s*\n", text):
        if re.match(r"\s*>>>", paragraph):
            shown = re.sub(r" *# doctest: .*", "", textwrap.dedent(paragraph).replace("```", "'''"))
            parts.append(f"```pycon\n{shown}\n```")
        elif section := SECTION.match(paragraph):
            parts.append(f"**{section[1]}**\n\n{items(paragraph[section.end() :])}")
        else:
            parts.append(escaped(paragraph))
    return "\n\n".join(parts)


def items(text: str) -> str:
    """What follows `Args:`, as a list with an entry for each `name: meaning`.

    Lines that are indented further belong to the entry above.
    """
    lines = textwrap.dedent(text).split("\n")
    entries: list[str] = []
    for line in lines:
        if line[:1].isspace() and entries:
            entries[-1] += " " + line.strip()
        else:
            entries.append(line)
    listed = []
    for entry in filter(None, entries):
        found = ITEM.fullmatch(entry)
        listed.append(f"- `{found[1]}`: {escaped(found[2])}" if found else f"- {escaped(entry)}")
    return "\n".join(listed)


def escaped(text: str) -> str:
    """Text in which nothing but code in backticks is Markdown."""
    parts = text.split("`")
    return "`".join(
        part if odd % 2 else part.replace("<", "&lt;").replace("[", "\\[").replace("*", "\\*")
        for odd, part in enumerate(parts)
    )


if __name__ == "__main__":
    main()
