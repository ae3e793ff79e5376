"""Horovod's API: the processes of one program exchange gradients.

Under the drop-in, `import horovod.tensorflow` and `import horovod.keras` import this package, unless Horovod itself is
installed.

`python -m reflow -np 4 train.py` starts the processes (`launch.py`). They connect like those of
`MultiWorkerMirroredStrategy` (`reflow/distribute/processes.py`), so the others name a process that dies.
"""
