"""Horovod's API: the processes of one program exchange gradients. Under the drop-in, `import horovod.tensorflow` and
`import horovod.keras` find this, unless Horovod itself is installed.

`python -m reflow -np 4 train.py` starts the processes (`launch.py`). They are joined as those of `MultiWorkerMirroredStrategy` are
(`reflow/distribute/processes.py`), and so a process that dies is named by the others.
"""
