"""A pytest plugin: one JSON line per event, so that what ran before a crash or a stall is not lost.

    {"start": "keras/src/folder/file_test.py::Class::method"}
    {"id": "keras/src/folder/file_test.py::Class::method", "outcome": "failed", "seconds": 0.1, "message": "why"}
    {"id": "keras/src/folder/file_test.py", "outcome": "error", …}        the file could not be imported
    {"end": true}

`KERAS_RESULTS` names the file. Read by `tools/keras_tests.py`.
"""

import json
import os

_stream = open(os.environ["KERAS_RESULTS"], "w", buffering=1)
_running: dict[str, dict] = {}


def _write(**event):
    print(json.dumps(event), file=_stream)


def _message(report) -> str:
    crash = getattr(report.longrepr, "reprcrash", None)
    if crash is not None:
        return f"{crash.message[:1000]}"
    if isinstance(report.longrepr, tuple):
        return str(report.longrepr[2])[:500]
    return str(report.longrepr or "")[-1500:]


def pytest_runtest_logstart(nodeid, location):
    _write(start=nodeid)


def pytest_runtest_logreport(report):
    """A test has one outcome: its first phase that is not a success, or that of its call."""
    result = _running.setdefault(report.nodeid, {"id": report.nodeid, "outcome": "passed", "seconds": 0.0})
    result["seconds"] = round(result["seconds"] + report.duration, 3)
    if result["outcome"] == "passed" and report.outcome != "passed":
        result["outcome"] = report.outcome
        result["message"] = _message(report)
        result["traceback"] = report.longreprtext[-2500:]
    if report.when == "teardown":
        _write(**_running.pop(report.nodeid))


def pytest_collectreport(report):
    if report.failed:
        _write(id=report.nodeid, outcome="error", seconds=0.0, message=_message(report))


def pytest_sessionfinish(session, exitstatus):
    _write(end=True)
