"""Histograms, isotonic regression, low-discrepancy points, candidate samplers and their losses."""
# ruff: noqa: E501 - a case is one line

from tests.ops.inputs import normal
from tests.ops.table import EAGER, case

case("HistogramFixedWidth", lambda tf, x: tf.histogram_fixed_width(x, [-1.0, 1.0], nbins=4), normal(20), grad=False)
case("Floor histogram bins", lambda tf, x: tf.histogram_fixed_width_bins(x, [-1.0, 1.0], nbins=4), normal(20), grad=False)
case("IsotonicRegression", lambda tf, x: tf.nn.isotonic_regression(x)[0], normal(3, 6), dtypes=("float32", "float64"))
case("IsotonicRegression rising", lambda tf, x: tf.nn.isotonic_regression(x, decreasing=False, axis=0), normal(5, 2), grad=False)
case("SobolSample", lambda tf: tf.math.sobol_sample(5, 9, skip=4), modes=EAGER, grad=False)
case("Timestamp", lambda tf: tf.timestamp() > 1e9, modes=EAGER, grad=False)
for _name in ("log_uniform", "uniform", "learned_unigram"):
    for _unique in (True, False):
        case(f"{''.join(w.capitalize() for w in _name.split('_'))}CandidateSampler{' unique' if _unique else ''}",
             lambda tf, _n=_name, _u=_unique: tf.random.set_seed(5) or getattr(tf.random, f"{_n}_candidate_sampler")([[1, 2], [0, 3]], 2, 8, _u, 30, seed=3),
             modes=EAGER, grad=False)
case("FixedUnigramCandidateSampler", lambda tf: tf.random.set_seed(5) or tf.random.fixed_unigram_candidate_sampler(
    [[1, 2]], 2, 20, False, 5, unigrams=[1.0, 2.0, 3.0, 4.0, 0.5], distortion=0.7, seed=3), modes=EAGER, grad=False)
case("AllCandidateSampler", lambda tf: tf.random.all_candidate_sampler([[1, 2]], 2, 5, True, seed=3), modes=EAGER, grad=False)
case("ComputeAccidentalHits", lambda tf: tf.nn.compute_accidental_hits([[1, 2], [0, 3]], [3, 1, 7], 2), modes=EAGER, grad=False)
case("ComputeAccidentalHits sampled softmax", lambda tf, w, b, x: tf.random.set_seed(5) or tf.nn.sampled_softmax_loss(w, b, tf.constant([[1], [3]], tf.int64), x, 5, 20, seed=3),
     normal(20, 2), normal(20), normal(2, 2), modes=EAGER, grad=False)
case("LogUniformCandidateSampler nce", lambda tf, w, b, x: tf.random.set_seed(5) or tf.nn.nce_loss(w, b, tf.constant([[1], [3]], tf.int64), x, 5, 20), normal(20, 2), normal(20), normal(2, 2),
     modes=EAGER, grad=False)
case("StridedSlice volume patches", lambda tf, x: tf.extract_volume_patches(x, [1, 2, 2, 1, 1], [1, 1, 2, 1, 1], "SAME"), normal(1, 3, 4, 2, 2))
