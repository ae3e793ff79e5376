"""`tf.train.experimental.PythonState`: Python values in a checkpoint."""

from reflow.train.checkpoint import Checkpoint
from reflow.train.python_state import PythonState
from tests.train.objects import keys_of


def test_python_state(tmp_path):
    class Counter(PythonState):
        def __init__(self, n):
            self.n = n

        def serialize(self):
            return b"%d" % self.n

        def deserialize(self, string_value):
            self.n = int(string_value)

    path = Checkpoint(c=Counter(7)).save(tmp_path / "x")
    assert "c/.ATTRIBUTES/py_state" in keys_of(path)
    later = Checkpoint()
    status = later.restore(path)
    later.c = Counter(0)
    assert later.c.n == 7
    status.assert_consumed()
