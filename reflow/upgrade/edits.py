"""Edits to a program's text: everything else stays unchanged, including comments and layout.

An *edit* replaces a range of bytes. Edits of an outer and an inner expression are compatible, because an outer one only
inserts around the inner expression, or removes it with all edits in it.
"""

from __future__ import annotations

import ast
import bisect
import itertools


class Source:
    """The text of a program, its positions, and the edits so far."""

    def __init__(self, text: str) -> None:
        self.data = text.encode()
        self._lines = [0, *(i + 1 for i, byte in enumerate(self.data) if byte == 10)]
        self._edits: list[tuple[int, int, bytes]] = []

    def start(self, node: ast.AST) -> int:
        """Where a node begins."""
        return self._lines[node.lineno - 1] + node.col_offset  # type: ignore[attr-defined]

    def end(self, node: ast.AST) -> int:
        """Where a node ends."""
        return self._lines[node.end_lineno - 1] + node.end_col_offset  # type: ignore[attr-defined]

    def text(self, node: ast.AST) -> str:
        """A node as it is written."""
        return self.data[self.start(node) : self.end(node)].decode()

    def replace(self, start: int, end: int, text: str) -> None:
        """Put text in place of a stretch."""
        self._edits.append((start, end, text.encode()))

    def wrap(self, node: ast.AST, before: str, after: str) -> None:
        """Put text around an expression."""
        self.replace(self.start(node), self.start(node), before)
        self.replace(self.end(node), self.end(node), after)

    def changed(self) -> str:
        """The text with all edits."""
        numbered = [(*edit, number) for number, edit in enumerate(self._edits)]
        removed = sorted((start, end) for start, end, _, _ in numbered if end > start)
        starts = [start for start, _ in removed]

        def inside(start: int, end: int) -> bool:
            """Whether an edit is inside a range that another one replaces."""
            at = bisect.bisect_right(starts, start) - 1
            return at >= 0 and removed[at][0] < start < removed[at][1] and end <= removed[at][1]

        kept = [edit for edit in numbered if not inside(edit[0], edit[1])]
        # at one place, what an inner expression gets after itself comes before what the outer one gets
        closing = {b")"}
        kept.sort(key=lambda edit: (edit[0], edit[1] > edit[0], -edit[3] if edit[2] in closing else edit[3]))
        parts, at = [], 0
        for start, end, text, _ in kept:
            parts += [self.data[at : max(at, start)], text]
            at = max(at, end)
        return b"".join(itertools.chain(parts, [self.data[at:]])).decode()


class Arguments:
    """The arguments of a call, in the order in which they are written."""

    def __init__(self, source: Source, call: ast.Call) -> None:
        self.source, self.call = source, call
        items: list = [*call.args, *call.keywords]
        self.items = sorted(items, key=source.start)
        self.calls_another = False
        self.opening = source.data.index(b"(", source.end(call.func)) + 1

    def keyword(self, name: str) -> ast.keyword | None:
        """The keyword argument of a name."""
        return next((item for item in self.call.keywords if item.arg == name), None)

    def value(self, name: str, position: int) -> ast.expr | None:
        """An argument by its name or its place."""
        found = self.keyword(name)
        if found is not None:
            return found.value
        plain = [arg for arg in self.call.args if not isinstance(arg, ast.Starred)]
        return plain[position] if position < len(plain) else None

    def rename(self, item: ast.keyword, name: str) -> None:
        """Give a keyword another name."""
        start = self.source.start(item)
        self.source.replace(start, start + len((item.arg or "").encode()), name)

    def give_name(self, item: ast.expr, name: str) -> None:
        """Pass an argument by its name."""
        start = self.source.start(item)
        self.source.replace(start, start, f"{name}=")

    def remove(self, item: ast.AST) -> None:
        """Leave an argument out, with the comma before it, or after it if it is the first."""
        at = self.items.index(item)
        if at:
            self.source.replace(self.source.end(self.items[at - 1]), self.source.end(item), "")
        elif len(self.items) > 1:
            self.source.replace(self.source.start(item), self.source.start(self.items[1]), "")
        else:
            self.source.replace(self.source.start(item), self.source.end(item), "")
        self.items.remove(item)

    def append(self, text: str) -> None:
        """Add an argument at the end."""
        at = self.source.end(self.items[-1]) if self.items else self.opening
        self.source.replace(at, at, f", {text}" if self.items else text)

    def replace_all(self, text: str) -> None:
        """Rewrite all arguments."""
        if self.items:
            self.source.replace(self.source.start(self.items[0]), self.source.end(self.items[-1]), text)
        else:
            self.source.replace(self.opening, self.opening, text)

    def rename_function(self, name: str) -> None:
        """Call another function."""
        self.calls_another = True
        self.source.replace(self.source.start(self.call.func), self.source.end(self.call.func), name)
