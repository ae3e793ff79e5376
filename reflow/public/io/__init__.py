# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""`tf.io`: files, records, parsing, encodings."""

from reflow.api.framework.graph_names import write_graph as write_graph
from reflow.api.image.files import decode_and_crop_jpeg as decode_and_crop_jpeg
from reflow.api.image.files import decode_bmp as decode_bmp
from reflow.api.image.files import decode_gif as decode_gif
from reflow.api.image.files import decode_image as decode_image
from reflow.api.image.files import decode_jpeg as decode_jpeg
from reflow.api.image.files import decode_png as decode_png
from reflow.api.image.files import encode_jpeg as encode_jpeg
from reflow.api.image.files import encode_png as encode_png
from reflow.api.image.files import extract_jpeg_shape as extract_jpeg_shape
from reflow.api.image.files import is_jpeg as is_jpeg
from reflow.api.strings.elementwise import decode_base64 as decode_base64
from reflow.api.strings.elementwise import encode_base64 as encode_base64
from reflow.io.files import decode_raw as decode_raw
from reflow.io.files import matching_files as matching_files
from reflow.io.files import read_file as read_file
from reflow.io.files import write_file as write_file
from reflow.io.parsing import FixedLenFeature as FixedLenFeature
from reflow.io.parsing import FixedLenSequenceFeature as FixedLenSequenceFeature
from reflow.io.parsing import RaggedFeature as RaggedFeature
from reflow.io.parsing import VarLenFeature as VarLenFeature
from reflow.io.parsing import parse_example as parse_example
from reflow.io.parsing import parse_single_example as parse_single_example
from reflow.io.tf_record import TFRecordOptions as TFRecordOptions
from reflow.io.tf_record import TFRecordWriter as TFRecordWriter
from reflow.public.io import gfile as gfile
