"""`tf.contrib.predictor`: the signature of a SavedModel as a Python function that keeps its session."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from reflow.compat.saved_model import loader
from reflow.compat.session import Session
from reflow.graph.graph import Graph

DEFAULT = "serving_default"


class Predictor:
    """A function from a dictionary of inputs to a dictionary of outputs, made of `graph`, `session`,
    `feed_tensors` and `fetch_tensors`."""

    def __init__(self, session: Session, feed_tensors: Mapping[str, Any], fetch_tensors: Mapping[str, Any]) -> None:
        self._session, self._feeds, self._fetches = session, dict(feed_tensors), dict(fetch_tensors)

    graph = property(lambda self: self._session.graph)
    session = property(lambda self: self._session)
    feed_tensors = property(lambda self: self._feeds)
    fetch_tensors = property(lambda self: self._fetches)

    def __call__(self, input_dict: Mapping[str, Any]) -> dict[str, np.ndarray]:
        """The outputs for arrays by the names of inputs; inputs with defaults may be left out."""
        unexpected = sorted(set(input_dict) - set(self._feeds))
        if unexpected:
            raise ValueError(f"Got unexpected keys in input_dict: {set(unexpected)}\nexpected: {set(self._feeds)}")
        return self._session.run(self._fetches, {self._feeds[name]: value for name, value in input_dict.items()})


def from_saved_model(
    export_dir: Any, signature_def_key: str | None = None, signature_def: Any = None,
    input_names: Mapping[str, str] | None = None, output_names: Mapping[str, str] | None = None,
    tags: str | Sequence[str] | None = None, graph: Graph | None = None, config: Any = None,
) -> Predictor:
    """The predictor of a SavedModel.

    Args:
      export_dir: the model's folder.
      signature_def_key: which signature; by default the serving one. Or `signature_def`, a SignatureDef, or both
        `input_names` and `output_names`, names of tensors.
      tags: of the graph, with commas between; by default "serve".
      graph, config: of the session.

    Raises:
      ValueError: the signature is described in two ways or half, or there is none with that key.
    """
    named = input_names is not None and output_names is not None
    if (
        (input_names is None) != (output_names is None)
        or sum([signature_def_key is not None, signature_def is not None, named]) > 1
    ):
        raise ValueError(
            "You must specify at most one of signature_def_key OR signature_def OR (input_names AND output_names)."
        )
    wanted = tags.split(",") if isinstance(tags, str) else list(tags or ["serve"])
    with (graph or Graph()).as_default() as own:
        session = Session(graph=own, config=config)
        signatures = loader.load(session, wanted, export_dir).signature_def
        if not named:
            key = signature_def_key or DEFAULT
            if signature_def is None and key not in signatures:
                raise ValueError(f'Got signature_def_key "{key}". Available signatures are {set(signatures)}.')
            found = signatures[key] if signature_def is None else signature_def
            input_names, output_names = (
                {k: info.name for k, info in side.items()} for side in (found.inputs, found.outputs)
            )
        feeds, fetches = (
            {key: own.as_graph_element(name, allow_operation=False) for key, name in (names or {}).items()}
            for names in (input_names, output_names)
        )
    return Predictor(session, feeds, fetches)
