"""`tensorflow.python.autograph.core.converter`: the rewriter's base classes.

`Feature` is Reflow's, which `tf.function` takes.
"""

from typing import Any

from reflow.api.autograph.status import Feature as Feature
from reflow.drop_in import gast_rewriter

malts: Any = gast_rewriter.module("core.converter")
STANDARD_OPTIONS, Base, ProgramContext = malts.STANDARD_OPTIONS, malts.Base, malts.ProgramContext


def _malts(features):
    """Reflow's AutoGraph features as the rewriter's: one, several, or None."""
    if features is None or isinstance(features, malts.Feature):
        return features
    return tuple(malts.Feature[f.name] for f in ((features,) if isinstance(features, Feature) else features))


class ConversionOptions(malts.ConversionOptions):
    """What to convert in a function, and in those that it calls if `recursive`."""

    def __init__(
        self, recursive=False, user_requested=False, internal_convert_user_code=True, optional_features=Feature.ALL
    ):
        super().__init__(recursive, user_requested, internal_convert_user_code, _malts(optional_features))

    def uses(self, feature):
        """Whether an optional feature is on."""
        return super().uses(malts.Feature[feature.name])
