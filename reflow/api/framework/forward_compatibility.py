"""`tf.compat.forward_compatible`: which of the behaviours announced for a date are on.

Those of all dates before the *horizon* are: the day on which TensorFlow 2.21's was set, or a later one.
"""

from __future__ import annotations

import contextlib
import datetime
import os
from collections.abc import Iterator

from reflow.api.export import export
from reflow.core.logging import warn

_FORWARD_COMPATIBILITY_HORIZON = datetime.date(2026, 1, 16)
#: how many days later it is, as an environment variable
_FORWARD_COMPATIBILITY_DELTA_DAYS_VAR_NAME = "TF_FORWARD_COMPATIBILITY_DELTA_DAYS"
_horizons: list[datetime.date] = []  # the one of now is the last


def _update_forward_compatibility_date_number(date_to_override: datetime.date | None = None) -> None:
    """Set the horizon: to a date, unless it is past, or to the usual one."""
    date = date_to_override
    if date is None:
        days = int(os.environ.get(_FORWARD_COMPATIBILITY_DELTA_DAYS_VAR_NAME) or 0)
        date = _FORWARD_COMPATIBILITY_HORIZON + datetime.timedelta(days=days)
    if date < _FORWARD_COMPATIBILITY_HORIZON:
        warn("Trying to set the forward compatibility date to the past date %s. This will be ignored.", date)
        return
    _horizons[:] = [date]


_update_forward_compatibility_date_number()


@export("compat.forward_compatible")
def forward_compatible(year: int, month: int, day: int) -> bool:
    """Says whether behaviour announced for a date is on already.

    Args:
      year: The year of the date.
      month: Its month, from 1.
      day: Its day, from 1.

    Returns:
      Whether the date is before the horizon, 16 January 2026 in TensorFlow 2.21. The environment variable
      `TF_FORWARD_COMPATIBILITY_DELTA_DAYS` says by how many days the horizon is later.

    >>> tf.compat.forward_compatible(2020, 1, 1), tf.compat.forward_compatible(2100, 1, 1)
    (True, False)
    """
    return _horizons[-1] > datetime.date(year, month, day)


@export("compat.forward_compatibility_horizon")
@contextlib.contextmanager
def forward_compatibility_horizon(year: int, month: int, day: int) -> Iterator[None]:
    """Moves the horizon of `forward_compatible` for a `with` block.

    Args:
      year: The year of the new horizon.
      month: Its month, from 1.
      day: Its day, from 1.

    Returns:
      A context manager. A date before the usual horizon changes nothing, with a warning.

    >>> with tf.compat.forward_compatibility_horizon(2100, 1, 2):
    ...     tf.compat.forward_compatible(2100, 1, 1)
    True
    """
    try:
        _update_forward_compatibility_date_number(datetime.date(year, month, day))
        yield
    finally:
        _update_forward_compatibility_date_number()
