"""What a dispatcher does for `tf.data.experimental.distributed_save`: it asks its workers for all elements and writes
them to a folder.

The folder is one of `tf.data.Dataset.save`. If a pipeline fails, the file ERROR in it says why, as TensorFlow's
snapshots do.
"""

from __future__ import annotations

import os

from reflow.data.saving import ERROR_FILE


def write(port: int, request: dict) -> None:
    """Write the elements of a registered dataset to `request["path"]`; each is made once, by some worker."""
    from reflow.data.service.public import from_dataset_id

    folder = request["path"]
    try:
        dataset = from_dataset_id("distributed_epoch", f"localhost:{port}", request["id"], job_name=f"save {folder}")
        dataset.save(folder, request["compression"])
    except Exception as error:  # noqa: BLE001 - nobody waits for this thread: who loads the folder is told
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, ERROR_FILE), "w") as file:
            file.write(f"{type(error).__name__}: {error}")
