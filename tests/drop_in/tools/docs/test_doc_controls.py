"""Marks for documentation leave things as they are."""

from reflow.drop_in.tools.docs import doc_controls


def test_marks():
    @doc_controls.do_not_generate_docs
    def hidden():
        return 1

    class Model:
        @property
        def size(self):
            return 2

    assert hidden() == 1 and doc_controls.should_skip(hidden) and not doc_controls.should_skip(Model)
    doc_controls.decorate_all_class_attributes(doc_controls.for_subclass_implementers, Model)
    assert Model().size == 2 and hasattr(Model.size.fget, "_tf_docs_for_subclass_implementers")
    assert hasattr(doc_controls.set_deprecated(Model), "_tf_docs_deprecated")
