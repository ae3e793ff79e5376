"""Programs whose printed text is compared with what TensorFlow 2.21 prints: names of nodes, signatures, errors,
warnings.

A program is a function of `tf` that prints. `tools/golden/function_texts.py` runs it under TensorFlow and stores the
lines, `test_recorded.py` under Reflow. What is different by nature is taken out of the text (`plain`): addresses and
ids, the frames of tracebacks that are not the program's own. This package imports neither TensorFlow nor Reflow.
"""

import contextlib
import io
import logging
import re

PROGRAMS: dict = {}


def program(function):
    """Register a program."""
    PROGRAMS[function.__name__] = function
    return function


def show_error(function, *args, **kwargs):
    """Print the class and text of the error that a call raises."""
    try:
        print("no error:", function(*args, **kwargs))
    except Exception as error:  # noqa: BLE001 - whatever comes is what is recorded
        print(f"{type(error).__name__}: {error}")


class _Collect(logging.Handler):
    def emit(self, record):
        print(f"{record.levelname}: {record.getMessage()}")


def lines_of(tf, function) -> list:
    """What a program prints and logs, line by line."""
    out = io.StringIO()
    logger, handler = logging.getLogger("tensorflow"), _Collect()
    others, logger.handlers = logger.handlers, [handler]
    propagate, logger.propagate = logger.propagate, False
    try:
        with contextlib.redirect_stdout(out):
            function(tf)
    finally:
        logger.handlers, logger.propagate = others, propagate
    return plain(out.getvalue(), function.__code__.co_filename)


_RULES = (
    (r"0x[0-9a-fA-F]+", "0x"),
    (r"\bid=\d+", "id="),
    (r"__inference_([A-Za-z_<>]+?)_\d+", r"__inference_\1"),
    (r"FuncGraph\(name=(cond|while)_(\w+?)_\d+", r"FuncGraph(name=\1_\2"),
    (r"^  \d{12,}: ", "  captured: "),
    (r" This time it was traced because .*", ""),  # TensorFlow does not say
)


def plain(text: str, file: str) -> list:
    """Text without what differs from run to run; of tracebacks, only the places in the program's own file."""
    lines = []
    skip = innermost = False
    for line in text.splitlines():
        place = re.match(r'\s*File "([^"]*)", line (\d+), in (\w+|<\w+>)', line)
        if place:
            own = place[1] == file and place[3] not in ("show_error", "lines_of")
            skip = True  # the line of source that may follow
            if own:
                if lines and lines[-1].startswith("  at ") and innermost:
                    lines.pop()
                lines.append(f"  at {place[3]}, line {place[2]}")
            continue
        if skip and (line.startswith("    ") or not line.strip()) and not re.match(r"    \w*(Error|Exception)\b", line):
            continue
        skip = False
        innermost = "defined" in line  # of where a node was made, Reflow shows one line
        for pattern, new in _RULES:
            line = re.sub(pattern, new, line)
        lines.append(line.rstrip())
    return [line for i, line in enumerate(lines) if line or (i and lines[i - 1])]
