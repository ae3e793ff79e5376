"""`tensorflow.python.tools.saved_model_utils`: the graphs in a SavedModel, by their tags."""

from __future__ import annotations

from reflow.core.types import Proto
from reflow.saved_model.saved_model_proto import read

read_saved_model = read


def get_saved_model_tag_sets(saved_model_dir: str) -> list[list[str]]:
    """The tags of each graph."""
    return [list(meta.meta_info_def.tags) for meta in read(saved_model_dir).meta_graphs]


def get_meta_graph_def(saved_model_dir: str, tag_set: str) -> Proto:
    """The graph with the given tags, which commas separate.

    Raises:
        RuntimeError: no graph has these tags.
    """
    wanted = {tag.strip() for tag in tag_set.split(",")}
    metas = read(saved_model_dir).meta_graphs
    for meta in metas:
        if set(meta.meta_info_def.tags) == wanted:
            return meta
    there = [",".join(meta.meta_info_def.tags) for meta in metas]
    raise RuntimeError(
        f"MetaGraphDef associated with tag-set {tag_set} could not be found in the SavedModel. Please use one of the "
        f"following tag-sets: {there}"
    )
