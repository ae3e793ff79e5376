"""Pictures as SVG text."""

import xml.etree.ElementTree as ElementTree

from reflow.api.framework.svg import Canvas, text_width


def test_a_canvas_grows_with_its_shapes():
    canvas = Canvas()
    canvas.box(10, 10, 100, 20, "#ffffff", "#000000", title="a < b")
    canvas.text(200, 50, "a & b", anchor="end")
    canvas.curve(0, 0, 50, 80)
    canvas.line([(0, 0), (120, 90)], dashes="2 2")
    root = ElementTree.fromstring(canvas.svg(margin=5))
    assert root.attrib["viewBox"] == "0 0 210 100" and len(list(root.iter())) == 11
    said = [element.text for element in root.iter() if element.text and element.text.strip()]
    assert said == ["a < b", "a & b"]


def test_wider_text_is_wider():
    assert text_width("MatMul") < text_width("BatchMatMul") < text_width("BatchMatMul", 14)
