"""Snippets become what the real `tf_upgrade_v2` makes of them (`tools/golden/upgrade.py`),
with a log about the same places."""

import json

import pytest

from reflow.upgrade.upgrader import upgrade
from tests import GOLDEN
from tests.upgrade.snippets import SNIPPETS

RECORDED = json.loads((GOLDEN / "upgrade.json").read_text())


@pytest.mark.parametrize(("snippet", "wanted"), list(zip(SNIPPETS, RECORDED, strict=True)))
def test_snippets(snippet, wanted):
    done = upgrade(f"import tensorflow as tf\n{snippet}\n")
    assert done.text == wanted[0]
    assert sorted({(f"{log.line}:{log.column}", log.severity) for log in done.log}) == [
        tuple(line) for line in wanted[1]
    ]


def test_an_upgraded_program_runs_and_stays():
    """What was upgraded once is upgraded for good."""
    for text, _ in RECORDED:
        compile(text, "upgraded", "exec")
    new = "import tensorflow as tf\nx = tf.compat.v1.placeholder(tf.float32)\ny = tf.cast(x, dtype=tf.float32)\n"
    assert upgrade(new).text == new


def test_programs_that_say_their_version_stay():
    text = "from tensorflow.compat import v1 as tf\nx = tf.placeholder(tf.float32)\n"
    assert upgrade(text).text == text
    text = "import tensorflow.compat.v1 as tf\nx = tf.placeholder(tf.float32)\n"
    assert upgrade(text, upgrade_compat_v1_import=False).text == text
    assert upgrade(text).text == "import tensorflow as tf\nx = tf.compat.v1.placeholder(tf.float32)\n"


def test_safety_mode_changes_imports_alone():
    text = (
        "import tensorflow as tf, os\nimport tensorflow\nfrom tensorflow import nn\nfrom tensorflow.contrib import "
        "slim\nx = tf.log(1.0)\n"
    )
    assert upgrade(text, safe=True).text.splitlines() == [
        "import tensorflow.compat.v1 as tf, os",
        "import tensorflow.compat.v1 as tensorflow",
        "from tensorflow.compat.v1 import nn",
        "from tensorflow.contrib import slim",
        "x = tf.log(1.0)",
    ]


def test_what_cannot_be_read_or_changed_is_said():
    assert upgrade("x = = 1").text is None and "Failed to parse" in upgrade("x = = 1").log[0].message
    log = upgrade("import tensorflow as tf\ntf.nn.dropout()\ntf.argmax(*a)\ntf.contrib.foo.bar()\n").issues
    assert [(line.line, line.severity) for line in log] == [(2, "ERROR"), (3, "WARNING"), (4, "ERROR")]
