"""`tf.keras.wrappers.scikit_learn`: a model-building function as an estimator with `fit`, `predict` and `score`.

The wrapper takes the arguments of the building function, of `fit` and of `predict`; each is passed to the functions
that have a parameter of that name.
"""

from __future__ import annotations

import copy
import inspect

import keras
import numpy as np


class BaseWrapper:
    _estimator_type: str  # "classifier" or "regressor"

    def __init__(self, build_fn=None, **sk_params):
        self.build_fn, self.sk_params = build_fn, sk_params
        known = set().union(
            *(_parameters(f) for f in (self._builder(), keras.Model.fit, keras.Model.predict, keras.Model.evaluate))
        )
        for name in sk_params:
            if name not in known and name != "nb_epoch":
                raise ValueError(f"{name} is not a legal parameter")

    def _builder(self):
        return type(self).__call__ if self.build_fn is None else self.build_fn

    def _arguments(self, function, override=None) -> dict:
        names = _parameters(function)
        return {k: v for k, v in {**self.sk_params, **(override or {})}.items() if k in names}

    def __sklearn_tags__(self):
        """What newer versions of scikit-learn ask before they search or cross-validate."""
        from sklearn import utils

        kind = self._estimator_type
        tags = {f"{kind}_tags": getattr(utils, f"{kind.capitalize()}Tags")()}
        return utils.Tags(estimator_type=kind, target_tags=utils.TargetTags(required=True), **tags)

    def get_params(self, **params) -> dict:
        """The arguments, for scikit-learn's searches."""
        return {**copy.deepcopy(self.sk_params), "build_fn": self.build_fn}

    def set_params(self, **params):
        """Change arguments."""
        self.build_fn = params.pop("build_fn", self.build_fn)
        self.sk_params.update(params)
        return self

    def fit(self, x, y, **kwargs):
        """Build the model and train it."""
        bound = (self,) if self.build_fn is None else ()
        self.model = self._builder()(*bound, **self._arguments(self._builder()))
        return self.model.fit(x, y, **(self._arguments(keras.Model.fit) | kwargs))

    def _predict(self, x, kwargs):
        return self.model.predict(x, **(self._arguments(keras.Model.predict) | kwargs))


class KerasClassifier(BaseWrapper):
    """A classifier."""

    _estimator_type = "classifier"

    def fit(self, x, y, **kwargs):
        """Train on labels, or on one-hot rows."""
        y = np.asarray(y)
        if y.ndim == 2 and y.shape[1] > 1:
            self.classes_ = np.arange(y.shape[1])
        else:
            self.classes_, y = np.unique(y, return_inverse=True)
        return super().fit(x, y, **kwargs)

    def predict(self, x, **kwargs):
        """The label of each row."""
        found = self._predict(x, kwargs)
        places = found.argmax(-1) if found.shape[-1] > 1 else (found[:, 0] > 0.5).astype(int)
        return self.classes_[places]

    def predict_proba(self, x, **kwargs):
        """The probability of each class."""
        found = self._predict(x, kwargs)
        return np.hstack([1 - found, found]) if found.shape[1] == 1 else found

    def score(self, x, y, **kwargs) -> float:
        """The share of correct labels."""
        y = np.asarray(y)
        truth = self.classes_[y.argmax(-1)] if y.ndim == 2 and y.shape[1] > 1 else y.reshape(-1)
        return float(np.mean(self.predict(x, **kwargs) == truth))


class KerasRegressor(BaseWrapper):
    """A regressor."""

    _estimator_type = "regressor"

    def predict(self, x, **kwargs):
        """The number of each row."""
        return np.squeeze(self._predict(x, kwargs), axis=-1)

    def score(self, x, y, **kwargs) -> float:
        """Minus the loss: more is better."""
        loss = self.model.evaluate(x, y, **(self._arguments(keras.Model.evaluate) | kwargs))
        return -float(loss[0] if isinstance(loss, (list, tuple)) else loss)


def _parameters(function) -> set:
    return {p.name for p in inspect.signature(function).parameters.values() if p.name != "self"}
