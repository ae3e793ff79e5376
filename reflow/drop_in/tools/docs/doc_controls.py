"""`tensorflow.tools.docs.doc_controls`: marks that say which names a documentation shows.

They leave the object as it is.
"""

from collections.abc import Callable
from typing import Any, TypeVar

Thing = TypeVar("Thing")


def _marking(attribute: str, doc: str) -> Callable[[Thing], Thing]:
    def mark(obj: Thing) -> Thing:
        setattr(obj, attribute, None)
        return obj

    mark.__doc__ = doc
    return mark


do_not_generate_docs = _marking("_tf_docs_do_not_document", "Leave an object out.")
do_not_doc_inheritable = _marking("_tf_docs_do_not_doc_inheritable", "Leave a method out, also in subclasses.")
do_not_doc_in_subclasses = _marking("_tf_docs_do_not_doc_in_subclasses", "Leave a method out in subclasses.")
for_subclass_implementers = _marking(
    "_tf_docs_for_subclass_implementers", "Show a method to those who write subclasses."
)
doc_in_current_and_subclasses = _marking("_tf_docs_doc_in_current_and_subclasses", "Show a method, also in subclasses.")
doc_private = _marking("_tf_docs_doc_private", "Show a name that begins with an underscore.")
should_skip = lambda obj: hasattr(obj, "_tf_docs_do_not_document")  # noqa: E731


def set_deprecated(obj: Any) -> Any:
    """Show an object as deprecated."""
    obj._tf_docs_deprecated = None
    return obj


def decorate_all_class_attributes(decorator: Callable[[Any], Any], cls: type, skip: Any = ()) -> type:
    """A class whose public methods and properties a decorator has marked, those in `skip` apart."""
    for name, value in list(vars(cls).items()):
        if not name.startswith("_") and name not in skip:
            decorator(value.fget if isinstance(value, property) else value)
    return cls
