"""What the Embedding Projector reads."""

import reflow as tf
from reflow.drop_in.contrib.index import contrib

v1 = tf.compat.v1


def test_settings_go_to_the_folder_of_a_writer(tmp_path):
    projector = contrib.tensorboard.plugins.projector
    config = projector.ProjectorConfig()
    config.embeddings.add().tensor_name = "table"
    with v1.summary.FileWriter(str(tmp_path)) as writer:
        projector.visualize_embeddings(writer, config)
    assert 'tensor_name: "table"' in (tmp_path / "projector_config.pbtxt").read_text()
