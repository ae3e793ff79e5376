"""Record what changed between TensorFlow 1 and 2 (`reflow/upgrade/facts.json.gz`), and what TensorFlow's
`tf_upgrade_v2` makes of the snippets of `tests/upgrade/snippets.py` (`tests/golden/upgrade.json`): the text, and place
and severity of each line of its log."""

import contextlib
import gzip
import io
import json

from tensorflow.tools.compatibility import ast_edits, tf_upgrade_v2

from tests.upgrade.snippets import SNIPPETS
from tools.golden import GOLDEN, ROOT


def facts() -> dict:
    spec = tf_upgrade_v2.TFAPIChangeSpec()
    arguments = spec.function_arg_warnings.items()
    return {
        "symbols": spec.symbol_renames,
        "keywords": spec.function_keyword_renames,
        "orders": {name: list(order) for name, order in spec.function_reorders.items()},
        "warned": {name: severity for name, (severity, _) in spec.function_warnings.items()},
        "warned_arguments": {name: [[*place, said[0]] for place, said in places.items()] for name, places in arguments},
        "modules": {name: severity for name, (severity, _) in spec.module_deprecations.items()},
    }


def upgraded(snippet: str) -> list:
    upgrader = ast_edits.ASTCodeUpgrader(tf_upgrade_v2.TFAPIChangeSpec())
    with contextlib.redirect_stdout(io.StringIO()):
        _, text, log, _ = upgrader.update_string_pasta(f"import tensorflow as tf\n{snippet}\n", "file.py")
    return [text, sorted({tuple(line.split(": ")[:2]) for line in log})]


if __name__ == "__main__":
    data = json.dumps(facts(), sort_keys=True).encode()
    (ROOT / "reflow" / "upgrade" / "facts.json.gz").write_bytes(gzip.compress(data, mtime=0))
    (GOLDEN / "upgrade.json").write_text(json.dumps([upgraded(snippet) for snippet in SNIPPETS], indent=1) + "\n")
