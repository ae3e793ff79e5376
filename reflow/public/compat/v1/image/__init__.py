# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.compat.v1.image`."""

from reflow.api.image.boxes import combined_non_max_suppression as combined_non_max_suppression
from reflow.api.image.boxes import non_max_suppression as non_max_suppression
from reflow.api.image.boxes import non_max_suppression_overlaps as non_max_suppression_overlaps
from reflow.api.image.boxes import non_max_suppression_padded as non_max_suppression_padded
from reflow.api.image.boxes import non_max_suppression_with_scores as non_max_suppression_with_scores
from reflow.api.image.files import adjust_jpeg_quality as adjust_jpeg_quality
from reflow.api.image.files import decode_and_crop_jpeg as decode_and_crop_jpeg
from reflow.api.image.files import decode_bmp as decode_bmp
from reflow.api.image.files import decode_gif as decode_gif
from reflow.api.image.files import decode_image as decode_image
from reflow.api.image.files import decode_jpeg as decode_jpeg
from reflow.api.image.files import decode_png as decode_png
from reflow.api.image.files import decode_webp as decode_webp
from reflow.api.image.files import encode_jpeg as encode_jpeg
from reflow.api.image.files import encode_png as encode_png
from reflow.api.image.files import extract_jpeg_shape as extract_jpeg_shape
from reflow.api.image.files import is_jpeg as is_jpeg
from reflow.api.image.geometry import adjust_brightness as adjust_brightness
from reflow.api.image.geometry import adjust_contrast as adjust_contrast
from reflow.api.image.geometry import adjust_gamma as adjust_gamma
from reflow.api.image.geometry import adjust_hue as adjust_hue
from reflow.api.image.geometry import adjust_saturation as adjust_saturation
from reflow.api.image.geometry import central_crop as central_crop
from reflow.api.image.geometry import flip_left_right as flip_left_right
from reflow.api.image.geometry import flip_up_down as flip_up_down
from reflow.api.image.geometry import grayscale_to_rgb as grayscale_to_rgb
from reflow.api.image.geometry import per_image_standardization as per_image_standardization
from reflow.api.image.geometry import random_brightness as random_brightness
from reflow.api.image.geometry import random_contrast as random_contrast
from reflow.api.image.geometry import random_crop as random_crop
from reflow.api.image.geometry import random_flip_left_right as random_flip_left_right
from reflow.api.image.geometry import random_flip_up_down as random_flip_up_down
from reflow.api.image.geometry import random_hue as random_hue
from reflow.api.image.geometry import random_saturation as random_saturation
from reflow.api.image.geometry import resize_with_crop_or_pad as resize_with_crop_or_pad
from reflow.api.image.geometry import rot90 as rot90
from reflow.api.image.geometry import transpose as transpose
from reflow.api.image.quality import image_gradients as image_gradients
from reflow.api.image.quality import psnr as psnr
from reflow.api.image.quality import rgb_to_yiq as rgb_to_yiq
from reflow.api.image.quality import rgb_to_yuv as rgb_to_yuv
from reflow.api.image.quality import ssim_multiscale as ssim_multiscale
from reflow.api.image.quality import total_variation as total_variation
from reflow.api.image.quality import yiq_to_rgb as yiq_to_rgb
from reflow.api.image.quality import yuv_to_rgb as yuv_to_rgb
from reflow.api.image.sizes import convert_image_dtype as convert_image_dtype
from reflow.api.image.sizes import crop_to_bounding_box as crop_to_bounding_box
from reflow.api.image.sizes import extract_patches as extract_patches
from reflow.api.image.sizes import hsv_to_rgb as hsv_to_rgb
from reflow.api.image.sizes import pad_to_bounding_box as pad_to_bounding_box
from reflow.api.image.sizes import rgb_to_grayscale as rgb_to_grayscale
from reflow.api.image.sizes import rgb_to_hsv as rgb_to_hsv
from reflow.api.image.sizes import sobel_edges as sobel_edges
from reflow.api.image.sizes import ssim as ssim
from reflow.api.image.stateless import random_jpeg_quality as random_jpeg_quality
from reflow.compat.images import ResizeMethod as ResizeMethod
from reflow.compat.images import crop_and_resize as crop_and_resize
from reflow.compat.images import draw_bounding_boxes as draw_bounding_boxes
from reflow.compat.images import extract_glimpse as extract_glimpse
from reflow.compat.images import extract_image_patches as extract_image_patches
from reflow.compat.images import resize_area as resize_area
from reflow.compat.images import resize_bicubic as resize_bicubic
from reflow.compat.images import resize_bilinear as resize_bilinear
from reflow.compat.images import resize_image_with_pad as resize_image_with_pad
from reflow.compat.images import resize_images as resize_images
from reflow.compat.images import resize_nearest_neighbor as resize_nearest_neighbor
from reflow.compat.images import sample_distorted_bounding_box as sample_distorted_bounding_box

resize = resize_images
resize_image_with_crop_or_pad = resize_with_crop_or_pad
transpose_image = transpose
