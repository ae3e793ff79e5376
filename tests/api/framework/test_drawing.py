"""`reflow.draw`: the plan of a function as a picture."""

import xml.etree.ElementTree as ElementTree

import reflow as tf

SVG = "{http://www.w3.org/2000/svg}"


def labels(drawing):
    return [element.text for element in ElementTree.fromstring(drawing.svg).iter(f"{SVG}text")]


def test_bands_boxes_and_arrows(tmp_path):
    @tf.function
    def f(x, y):
        tf.print("x < y", x, output_stream="file:///dev/null")
        return tf.tanh(x) * y

    drawing = tf.draw(f, tf.constant([1.0]), tf.constant([2.0]))
    said = labels(drawing)
    assert {"x", "y", "PrintV2", "Tanh", "Mul", "float32[1]", "result"} <= set(said)
    assert any("on the host" in text for text in said) and any("compiled by XLA" in text for text in said)
    root = ElementTree.fromstring(drawing.svg)
    titles = [element.text for element in root.iter(f"{SVG}title")]
    assert any("test_drawing.py" in text and "on the host: XLA has no strings" in text for text in titles)
    # x to Tanh and to the print, y and Tanh to Mul, Mul to the result; the arrow's head
    assert len(list(root.iter(f"{SVG}path"))) >= 5
    drawing.save(tmp_path / "f.svg")
    assert (tmp_path / "f.svg").read_text() == drawing._repr_svg_()


def test_many_ops_are_counted():
    @tf.function
    def f(x):
        for _ in range(40):
            x = tf.sin(x) + tf.cos(x)
        return x

    f(tf.constant(1.0))
    said = labels(tf.draw(f))
    assert "40 times" in said and said.count("Sin") == 1 and "result" in said
