"""Rewrites a pipeline before it is read, as `Options.experimental_optimization` requests.

A *rewrite* is a pure function from a stage to its replacement, often itself. `prepared` applies the rewrites that the
pipeline's options choose to every stage, in TensorFlow's order, from the sources on. Elements stay the same, and so
does their order unless the options leave it open. A fused stage still reads the one that it was fused with, which is
then `hidden`: both keep their fast paths (`batches.py`, `vectorized.py`), and share one name.

Options set at several points of a pipeline apply to the whole: later ones win. Datasets that functions of the pipeline
create are rewritten when they are created.
"""

from __future__ import annotations

import functools
import operator
import weakref
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from reflow.data.engine.assertions import AssertNext, AssertPrev
from reflow.data.engine.batches import Batch
from reflow.data.engine.buffers import InjectedPrefetch, Prefetch, Shuffle
from reflow.data.engine.functions import (
    Both,
    Filter,
    FlatMap,
    Map,
    ParallelFilter,
    ParallelMap,
    Pooled,
)
from reflow.data.engine.interleave import Interleave, ParallelInterleave
from reflow.data.engine.order import SHARD_HINT, Pass, Repeat, Shard, ShuffleAndRepeat, Skip, Take
from reflow.data.engine.values import AUTOTUNE, DatasetValue, Function
from reflow.data.options import Options
from reflow.graph.clone import clone, copy_nodes, graphs_in
from reflow.graph.derived import derived
from reflow.graph.func_graph import PLACEHOLDER, FuncGraph, input_like

Rewrite = Callable[[DatasetValue], DatasetValue]

# --- functions ------------------------------------------------------------------------------------------------------


@derived
def _stateful(graph: FuncGraph) -> bool:
    """Whether it matters when and in which order a function is called. Assertions do not count."""
    return any(_node_is_stateful(node) for node in graph.nodes)


def _node_is_stateful(node: Any) -> bool:
    inner = graphs_in(node.attrs)
    return any(map(_stateful, inner)) if inner else node.record.stateful and node.record.jit != "omit"


def _free(function: Function) -> bool:
    """Whether a function may be called at any time, and in another order."""
    return isinstance(function.graph, FuncGraph) and not _stateful(function.graph)


def _is_identity(function: Function) -> bool:
    graph = function.graph
    return (
        not function.captured and [t._id for t in graph.inputs] == [t._id for t in graph.outputs]
        and not _stateful(graph)
    )


def _composed(first: Function, second: Function, keep: bool = False) -> Function:
    """The function that calls one on what the other gives, and with `keep` gives that too.

    Neither captures anything.
    """
    joint = clone(first.graph)
    tensors = dict(zip((t._id for t in second.graph.inputs), joint.outputs, strict=True))
    copy_nodes([n for n in second.graph.nodes if n.record is not PLACEHOLDER], joint, tensors)
    joint.outputs = [*(joint.outputs if keep else ()), *(tensors[t._id] for t in second.graph.outputs)]
    return Function(joint, ())


def _selecting(before: Function, places: Sequence[int]) -> Function:
    """The function that gives these of the components that another one has given."""
    graph = FuncGraph("select")
    inputs = [input_like(graph, tensor) for tensor in before.graph.outputs]
    graph.outputs = [inputs[place] for place in places]
    return Function(graph, ())


# --- rewrites -------------------------------------------------------------------------------------------------------


def drop_noops(stage: DatasetValue) -> DatasetValue:
    """Leave out stages that change nothing."""
    match stage:
        case Take(count=count) if count < 0:
            return stage.inputs[0]
        case Skip(count=0) | Repeat(count=1) | Shard(shards=1):
            return stage.inputs[0]
        case Map(function=function) if _is_identity(function):
            return stage.inputs[0]
    return stage


def fuse_shuffle_and_repeat(stage: DatasetValue) -> DatasetValue:
    """`shuffle` then `repeat`: each pass begins when the one before it has ended."""
    if type(stage) is Repeat and type(stage.inputs[0]) is Shuffle:
        return ShuffleAndRepeat(stage.inputs[0].changed(hidden=True), stage.count).in_place_of(stage)
    return stage


def parallelize_maps(stage: DatasetValue) -> DatasetValue:
    """Let `map` call its function ahead, where it has no state."""
    if type(stage) is Map and not stage.synchronous and _free(stage.function):
        return ParallelMap(
            stage.inputs[0], stage.function, AUTOTUNE, stage.preserve_cardinality, "true"
        ).in_place_of(stage)
    return stage


def fuse_maps(stage: DatasetValue) -> DatasetValue:
    """One function in place of two maps in a row.

    Parallel ones must have the same settings, and threads that are tuned.
    """
    source: Any = stage.inputs[0] if stage.inputs else None
    both = type(source), type(stage)
    if both not in ((Map, Map), (ParallelMap, ParallelMap)) or not isinstance(stage, Map):
        return stage
    if any(s.function.captured or not _free(s.function) for s in (stage, source)):
        return stage
    keeps = stage.preserve_cardinality and source.preserve_cardinality
    if not isinstance(stage, ParallelMap):
        return Map(source.inputs[0], _composed(source.function, stage.function), keeps).in_place_of(stage)
    orders = {stage.deterministic, source.deterministic}
    if stage.calls == source.calls == AUTOTUNE and (len(orders) == 1 or "false" not in orders):
        function = _composed(source.function, stage.function)
        # one that may change the order changes that of both
        order = "default" if "default" in orders else stage.deterministic
        return ParallelMap(source.inputs[0], function, AUTOTUNE, keeps, order).in_place_of(stage)
    return stage


def fuse_filters(stage: DatasetValue) -> DatasetValue:
    """One predicate in place of two filters in a row."""
    if type(stage) is Filter and type(stage.inputs[0]) in (Filter, ParallelFilter):
        first: Any = stage.inputs[0]
        if _free(first.function) and _free(stage.function):
            return Filter(first.inputs[0], Both(first.function, stage.function)).in_place_of(stage)
    return stage


def fuse_map_and_filter(stage: DatasetValue) -> DatasetValue:
    """One function that gives an element and whether it passes;
    then a filter that looks at the last component, and a map that drops it."""
    source: Any = stage.inputs[0] if stage.inputs else None
    if type(stage) is not Filter or type(source) is not Map:
        return stage
    if any(s.function.captured or not _free(s.function) for s in (stage, source)):
        return stage
    function = _composed(source.function, stage.function, keep=True)
    mapped = Map(source.inputs[0], function, source.preserve_cardinality).in_place_of(source)
    *components, passes = range(len(function.graph.outputs))
    filtered = Filter(mapped, _selecting(function, [passes])).in_place_of(stage)
    return Map(filtered, _selecting(function, components)).in_place_of(stage)


def fuse_map_and_batch(stage: DatasetValue) -> DatasetValue:
    """`map` then `batch`."""
    if stage.name == Batch.name and isinstance(stage.inputs[0], Map):
        return stage.changed(name="MapAndBatch", inputs=(stage.inputs[0].changed(hidden=True),))
    return stage


def parallelize_filters(stage: DatasetValue) -> DatasetValue:
    """Let `filter` call its predicate ahead, where it has no state."""
    if type(stage) is Filter and _free(stage.function):
        return ParallelFilter(stage.inputs[0], stage.function).in_place_of(stage)
    return stage


def parallelize_batches(stage: DatasetValue) -> DatasetValue:
    """Let `batch` copy elements on several threads."""
    return stage.changed(name="ParallelBatch") if stage.name == Batch.name else stage


def prefetch_in_interleave(stage: DatasetValue) -> DatasetValue:
    """Read the datasets of a parallel `interleave` one after the other, each ahead by a thread."""
    if type(stage) is not ParallelInterleave:
        return stage
    function = Function(
        stage.function.graph, stage.function.captured, functools.partial(InjectedPrefetch, limit=AUTOTUNE)
    )
    return Interleave(stage.inputs[0], function, stage.cycle, stage.block).in_place_of(stage)


def resolve_shard_hints(dataset: DatasetValue, shards: int, index: int) -> DatasetValue:
    """The pipeline with `shard(SHARD_HINT, …)` as the part of worker number `index` of `shards`."""

    def resolve(stage: DatasetValue) -> DatasetValue:
        hint = isinstance(stage, Shard) and stage.shards == SHARD_HINT
        return Shard(stage.inputs[0], shards, index).in_place_of(stage) if hint else stage

    return Rewriting([resolve]).of(dataset)


def with_counts(dataset: DatasetValue) -> DatasetValue:
    """The pipeline with a `flat_map` that knows how many elements it has, if its function's datasets know it."""

    def count(stage: DatasetValue) -> DatasetValue:
        if isinstance(stage, FlatMap) and stage.inputs[0].cardinality() >= 0:
            return stage.changed(count=stage.counted())
        return stage

    return Rewriting([count]).of(dataset)


def inject_prefetch(last: DatasetValue) -> DatasetValue:
    """Read the whole pipeline ahead, unless its last stage does."""
    stage = last
    while isinstance(stage, Pass):
        stage = stage.inputs[0]
    ahead = (
        isinstance(stage, (Prefetch, ParallelMap, ParallelInterleave)) or stage.name in ("MapAndBatch", "ParallelBatch")
    )
    # a copy, since the stage itself may keep this one
    return last if ahead else InjectedPrefetch(last.changed(), AUTOTUNE)


def hand_out_when_ready(stage: DatasetValue) -> DatasetValue:
    """Let parallel stages that do not say otherwise give first what is ready first."""
    return (
        stage.changed(deterministic="false") if isinstance(stage, Pooled) and stage.deterministic == "default"
        else stage
    )


def reread_elements(stage: DatasetValue) -> DatasetValue:
    """Let positions be symbolic."""
    return stage.changed(rereads=True) if isinstance(stage, (FlatMap, Interleave)) else stage


def limit(stage: DatasetValue, threads: int, memory: int) -> DatasetValue:
    """Give stages that tune themselves the threads and the bytes that the options allow; 0 for no limit."""
    if threads and isinstance(stage, Pooled) and stage.workers > threads:
        return stage.changed(workers=threads, overlaps=stage.overlaps and threads > 1)
    if memory and isinstance(stage, Prefetch):
        return stage.changed(budget=memory)
    return stage


class Choice(NamedTuple):
    """A rewrite that an option of `experimental_optimization` chooses."""

    option: str
    rewrite: Rewrite
    by_default: bool
    tunes: bool = False  # it adds threads, so it needs automatic tuning


REWRITES = (
    Choice("noop_elimination", drop_noops, by_default=True),
    Choice("shuffle_and_repeat_fusion", fuse_shuffle_and_repeat, by_default=True),
    Choice("map_parallelization", parallelize_maps, by_default=True, tunes=True),
    Choice("map_fusion", fuse_maps, by_default=False),
    Choice("filter_fusion", fuse_filters, by_default=False),
    Choice("map_and_filter_fusion", fuse_map_and_filter, by_default=False),
    Choice("map_and_batch_fusion", fuse_map_and_batch, by_default=True),
    Choice("filter_parallelization", parallelize_filters, by_default=False, tunes=True),
    Choice("parallel_batch", parallelize_batches, by_default=False, tunes=True),
    Choice("seq_interleave_prefetch", prefetch_in_interleave, by_default=False),
)


# --- applied --------------------------------------------------------------------------------------------------------


def settings_of(dataset: DatasetValue) -> Any:
    """The `tf.data.Options` of a whole pipeline."""
    return _plan(_serialized(dataset))[0]


@functools.lru_cache(256)  # to read options costs ten times what it costs to begin a small pipeline
def _plan(serialized: bytes) -> tuple[Any, tuple[Rewrite, ...], bool]:
    """The options behind their bytes, the rewrites that they choose, and whether a prefetch is added."""
    settings = Options._parsed(serialized)
    rewrites = tuple(c.rewrite for c in REWRITES if _chosen(settings, c.option, c.by_default, c.tunes))
    if settings.deterministic is False:
        rewrites += (hand_out_when_ready,)
    if settings.experimental_symbolic_checkpoint:
        rewrites += (reread_elements,)
    threads = [n for n in (settings.threading.private_threadpool_size, settings.autotune.cpu_budget) if n]
    memory = settings.autotune.ram_budget or 0
    if threads or memory:
        rewrites += (functools.partial(limit, threads=min(threads, default=0), memory=memory),)
    return settings, rewrites, _chosen(settings, "inject_prefetch", True, True)


def _serialized(stage: DatasetValue) -> bytes:
    """Options of a stage and those before it, one after the other: protos are merged by putting them together."""
    before = b"".join(map(_serialized, stage.inputs))
    own = getattr(stage, "serialized_options", None)
    return before + (own.encode() if isinstance(own, str) else own) if own else before


def _chosen(settings: Any, option: str, default: bool, tunes: bool) -> bool:
    if tunes and settings.autotune.enabled is False:
        return False
    said = getattr(settings.experimental_optimization, option)
    return (
        said if said is not None
        else default and settings.experimental_optimization.apply_default_optimizations is not False
    )


_prepared: weakref.WeakKeyDictionary[DatasetValue, tuple[DatasetValue | None, Any]] = weakref.WeakKeyDictionary()


def prepared(dataset: DatasetValue) -> tuple[DatasetValue, Any]:
    """What an iterator of a dataset reads, and the options that it has. Raises the errors of `assert_next` and
    `assert_prev`.

    Datasets never change, so their iterators share the answer: to find it takes 20 to 40 us.
    """
    known = _prepared.get(dataset)
    if known is None:
        found, settings = _rewritten(dataset)
        known = _prepared[dataset] = (None if found is dataset else found, settings)  # no value may hold its key
    return known[0] or dataset, known[1]


def _rewritten(dataset: DatasetValue) -> tuple[DatasetValue, Any]:
    settings, rewrites, prefetches = _plan(_serialized(dataset))
    pass_ = Rewriting(rewrites)
    dataset = pass_.of(dataset)
    if prefetches:
        dataset = inject_prefetch(dataset)
    return _checked(dataset, rewrites, ("Root",)) if pass_.asks_for_names else dataset, settings


class Rewriting:
    """Rewrites all stages of a pipeline, from the sources on: the inputs of a stage are final when it is rewritten."""

    def __init__(self, rewrites: Sequence[Rewrite]):
        self.rewrites = rewrites
        self.done: dict[int, DatasetValue] = {}  # by their ids, since several stages may read one
        self.asks_for_names = False  # whether there is a stage for `_checked`

    def of(self, stage: DatasetValue) -> DatasetValue:
        found = self.done.get(id(stage))
        if found is None:
            found = _reading(stage, [self.of(source) for source in stage.inputs])
            for rewrite in self.rewrites:
                found = rewrite(found)
            self.asks_for_names = (
                self.asks_for_names or isinstance(found, (AssertNext, AssertPrev, FlatMap, Interleave))
            )
            self.done[id(stage)] = found
        return found


def _reading(stage: DatasetValue, inputs: Sequence[DatasetValue]) -> DatasetValue:
    """The stage with these inputs."""
    return stage if all(map(operator.is_, inputs, stage.inputs)) else stage.changed(inputs=tuple(inputs))


def _checked(stage: DatasetValue, rewrites: Sequence[Rewrite], following: tuple[str, ...]) -> DatasetValue:
    """The stage after the checks of assertions in it, with rewrites for the datasets that its functions make.
    `following` are the names of the stages behind it, the next one first."""
    if isinstance(stage, AssertNext):
        stage.check(following)
    elif isinstance(stage, AssertPrev):
        stage.check()
    labels = [stage.label(at) for at in range(len(stage.inputs))]
    names = [(label, *following) if label else following for label in labels]
    stage = _reading(stage, [_checked(s, rewrites, behind) for s, behind in zip(stage.inputs, names, strict=True)])
    if isinstance(stage, (FlatMap, Interleave)):
        function = stage.function
        inner = Inner(rewrites, (f"{stage.name}[0]", *following), function.rewrite)
        stage = stage.changed(function=Function(function.graph, function.captured, inner))
    return stage


class Inner:
    """Rewrites the datasets that a function makes.

    If the first of them stays as it is, so do the others: they come in their thousands.
    """

    def __init__(self, rewrites: Sequence[Rewrite], following: tuple[str, ...], then: Rewrite | None):
        self.rewrites, self.following, self.then = rewrites, following, then
        self.needed = True

    def __call__(self, dataset: DatasetValue) -> DatasetValue:
        if self.needed:
            found = _checked(Rewriting(self.rewrites).of(dataset), self.rewrites, self.following)
            self.needed, dataset = found is not dataset, found
        return dataset if self.then is None else self.then(dataset)
