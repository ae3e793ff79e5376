"""`make docs`: puts the site's pages together below build/docs, for MkDocs (mkdocs.yml).

    python tools/make_docs.py        # then: mkdocs build

The pages are those of docs/, with docs/guide/index.md as the first. Links that lead out of docs/ (to sources, tests, files at the root)
become plain text: the site has no such pages. The reference is made from the docstrings of the public namespaces, one page for each.
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
    first = inside((SOURCE / "guide" / "index.md").read_text(), SOURCE / "guide" / "index.md")
    (TARGET / "guide" / "index.md").unlink()
    (TARGET / "index.md").write_text(LINK.sub(lambda m: f"[{m[1]}](guide/{m[2]}{m[3] or ''})", first))
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
    for name, thing in sorted(TABLE.items()):
        if (inspect.isfunction(thing) or inspect.isclass(thing)) and not name.startswith(("__internal__.", "compat.v1.")):
            space, _, last = name.rpartition(".")
            spaces.setdefault(space, []).append((last, thing))
    folder.mkdir(parents=True)
    lines = ["# Reference", "", "Every public function and class, by namespace. `tf.keras` is Keras' own.", ""]
    for space, things in spaces.items():
        title = f"tf.{space}" if space else "tf"
        (folder / f"{title}.md").write_text("\n\n".join([f"# {title}", *(entry(title, name, thing) for name, thing in things)]) + "\n")
        lines.append(f"- [{title}]({title}.md): {len(things)}")
    (folder / "index.md").write_text("\n".join(lines) + "\n")


def entry(space: str, name: str, thing: object) -> str:
    """The section of one function or class."""
    try:
        signature = str(inspect.signature(thing))  # type: ignore[arg-type]
    except (TypeError, ValueError):
        signature = "(...)"
    text = inspect.cleandoc(getattr(thing, "__doc__", None) or "")
    return f"## {name}\n\n```python\n{space}.{name}{signature}\n```\n\n{body(text)}"


def body(text: str) -> str:
    """A docstring as Markdown: examples and lists of arguments in a fixed font, the rest as it is."""
    parts = []
    for paragraph in re.split(r"\n\s*\n", text):
        if re.match(r"\s*>>>", paragraph) or re.match(r"(Args|Arguments|Returns|Raises|Yields):", paragraph):
            parts.append("```text\n" + textwrap.dedent(paragraph).replace("```", "'''") + "\n```")
        else:
            parts.append(paragraph.replace("<", "&lt;").replace("[", "\\["))
    return "\n\n".join(parts)


if __name__ == "__main__":
    main()
