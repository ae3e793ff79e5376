"""Modes of a model: training, testing, prediction, under the names of Keras 2 and of estimators."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any


class KerasModeKeys:
    """The modes of Keras 2."""

    TRAIN, TEST, PREDICT = "train", "test", "predict"


#: Keras' word for each mode
_KERAS_WORDS = {"train": "train", "test": "test", "eval": "test", "predict": "predict", "infer": "predict"}


def is_train(mode: str) -> bool:
    return mode == KerasModeKeys.TRAIN


def is_eval(mode: str) -> bool:
    return mode in (KerasModeKeys.TEST, "eval")


def is_predict(mode: str) -> bool:
    return mode in (KerasModeKeys.PREDICT, "infer")


class ModeKeyMap(Mapping):
    """A read-only map from modes to values, with both names for each mode.

    >>> ModeKeyMap(predict=3, eval=4)["infer"]
    3
    """

    def __init__(self, **kwargs: Any) -> None:
        self._values: dict[str, Any] = {}
        for key, value in kwargs.items():
            mode = self._mode(key)
            if mode in self._values:
                raise ValueError(f"Multiple keys/values found for mode {mode}.")
            self._values[mode] = value

    @staticmethod
    def _mode(key: str) -> str:
        if key not in _KERAS_WORDS:
            raise ValueError(f"Invalid mode key: {key}.")
        return _KERAS_WORDS[key]

    def __getitem__(self, key: str) -> Any:
        return self._values[self._mode(key)]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)
