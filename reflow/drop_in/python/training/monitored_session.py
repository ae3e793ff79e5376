"""`tensorflow.python.training.monitored_session`: the layers of a monitored session."""

from reflow.compat.train.monitored import _Monitored
from reflow.compat.train.scaffold import USE_DEFAULT as USE_DEFAULT
from reflow.compat.train.session_layers import PREEMPTION_ERRORS as _PREEMPTION_ERRORS  # noqa: F401 - its name here
from reflow.compat.train.session_layers import CoordinatedSession as _CoordinatedSession  # noqa: F401
from reflow.compat.train.session_layers import HookedSession as _HookedSession  # noqa: F401
from reflow.compat.train.session_layers import RecoverableSession as _RecoverableSession  # noqa: F401
from reflow.compat.train.session_layers import WrappedSession as _WrappedSession  # noqa: F401

_MonitoredSession = _Monitored
