"""Node names relative to a name scope, as in MetaGraphs exported from or imported into a scope."""

from __future__ import annotations


def strip_scope(name: str, scope: str | None) -> str:
    """A node's or tensor's name without its scope; a leading `^` or `loc:@` stays.

    >>> strip_scope("tower/layer/kernel:0", "tower"), strip_scope("^tower/x", "tower"), strip_scope("y", "tower")
    ('layer/kernel:0', '^x', 'y')
    """
    if not scope:
        return name
    mark, bare = _marked(name)
    return mark + bare.removeprefix(f"{scope.removesuffix('/')}/")


def prepend_scope(name: str, scope: str | None) -> str:
    """A name as it is below a scope.

    >>> prepend_scope("layer/kernel:0", "tower"), prepend_scope("loc:@x", "tower")
    ('tower/layer/kernel:0', 'loc:@tower/x')
    """
    if not scope:
        return name
    mark, bare = _marked(name)
    return f"{mark}{scope.removesuffix('/')}/{bare}"


def _marked(name: str) -> tuple[str, str]:
    for mark in ("loc:@", "^"):
        if name.startswith(mark):
            return mark, name.removeprefix(mark)
    return "", name
