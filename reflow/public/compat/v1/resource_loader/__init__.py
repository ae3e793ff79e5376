# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.compat.v1.resource_loader`."""

from reflow.compat.older_names import get_data_files_path as get_data_files_path
from reflow.compat.older_names import get_path_to_datafile as get_path_to_datafile
from reflow.compat.older_names import get_root_dir_with_all_resources as get_root_dir_with_all_resources
from reflow.compat.older_names import load_resource as load_resource
from reflow.compat.older_names import readahead_file_path as readahead_file_path
