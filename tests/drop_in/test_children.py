"""Spawned processes inherit the drop-in."""

from tests.drop_in.processes import python

CHILDREN = """
import multiprocessing
from concurrent.futures import ProcessPoolExecutor
import tensorflow as tf  # fails in a child that did not inherit the drop-in

def work(x):
    return tf.__version__, tf.Tensor.__module__, float(tf.reduce_sum(x))

def put(queue, x):
    queue.put(work(x))

if __name__ == "__main__":
    for method in ("spawn", "forkserver"):
        context = multiprocessing.get_context(method)
        queue = context.Queue()
        process = context.Process(target=put, args=(queue, [1.0, 2.0]))
        process.start()
        print(method, queue.get(timeout=60))
        process.join()
    context = multiprocessing.get_context("spawn")
    with context.Pool(1) as pool:
        print("pool", pool.apply(work, ([1.0, 2.0],)))
    with ProcessPoolExecutor(1, mp_context=context) as executor:
        print("executor", executor.submit(work, tf.constant([1.0, 2.0]).numpy()).result())
"""


def test_spawned_processes_inherit(tmp_path):
    (tmp_path / "prog.py").write_text(CHILDREN)
    done = python("-m", "reflow", "prog.py", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    expected = ("2.21.0", "tensorflow.python.framework.tensor", 3.0)
    assert done.stdout.splitlines() == [f"{way} {expected}" for way in ("spawn", "forkserver", "pool", "executor")]
