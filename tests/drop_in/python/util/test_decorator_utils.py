"""Parts of decorators that change docstrings."""

import pytest

from reflow.drop_in.python.util import decorator_utils


def test_notices():
    doc = "First.\n\n    More.\n    "
    found = decorator_utils.add_notice_to_docstring(
        doc, "Do that.", "none", "(old)", ["It goes."], notice_type="Deprecated"
    )
    assert found == "First. (old)\n\nDeprecated: It goes.\nDo that.\n\nMore."
    assert (
        decorator_utils.add_notice_to_docstring(None, "", "none", "(old)", ["It goes."]) == "none\n\nWarning: It goes."
    )
    with pytest.raises(ValueError, match="must not be empty"):
        decorator_utils.add_notice_to_docstring(doc, "", "", "", [])


def test_properties_of_classes():
    made = []

    class A:
        name = decorator_utils.classproperty(lambda cls: cls.__name__)
        once = decorator_utils.cached_classproperty(lambda cls: made.append(cls))

    class B(A):
        pass

    assert (A.name, B.name, A().name) == ("A", "B", "A")
    assert (A.once, A.once, B.once) == (None, None, None) and made == [A, B]
    with pytest.raises(ValueError, match="@property appears before @mine"):
        decorator_utils.validate_callable(1, "mine")
