"""Boxes and regions of images: F1 at an IoU, COCO's average precision, panoptic quality.

>>> from matchwise.corpus.tally import Tally
>>> ref = [{"bbox": [0, 0, 10, 10], "label": "stamp"}, {"bbox": [20, 0, 30, 10], "label": "logo"}]
>>> pred = [{"bbox": [0, 0, 10, 8], "label": "stamp"}, {"bbox": [20, 5, 30, 15], "label": "logo"}]
>>> report = Tally(suite()).add(pred, ref).report()
>>> report["boxes"].f1, round(report["overlap"].f1, 4)
(0.5, 0.5667)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from matchwise.algebra.build import eq, f1, precision
from matchwise.algebra.nodes import Similarity
from matchwise.algebra.steps import StepKind, read_sides, split_step
from matchwise.corpus.categories import sigma_of
from matchwise.corpus.suite import Suite
from matchwise.engine.one.pairs import chosen_pairs, similar_pairs
from matchwise.engine.plan import score
from matchwise.errors import DataError, ExpressionError
from matchwise.similarities import spans
from matchwise.similarities.boxes import BoxForm
from matchwise.tasks import Analyse, Option, Task, label_option
from matchwise.tasks.boxes.regions import ImageBoxes as ImageBoxes
from matchwise.tasks.boxes.regions import Region as Region
from matchwise.tasks.boxes.regions import Regions as Regions
from matchwise.tasks.boxes.regions import image as image
from matchwise.tasks.boxes.regions import read_box as read_box
from matchwise.tasks.boxes.regions import read_mask as read_mask
from matchwise.tasks.lists import Numbered, pair_up

if TYPE_CHECKING:
    from matchwise.tasks.boxes.coco import CocoScores
    from matchwise.views.errors import Level
    from matchwise.views.model import View

SHARES: dict[str, Similarity] = {"boxes": spans.iou("bbox", box="xywh"), "masks": spans.iou("mask")}
"""IoU of what is compared."""


def suite(
    preset: Literal["iou", "coco", "optimal", "panoptic"] = "iou",
    *,
    iou: float = 0.5,
    regions: Regions = "boxes",
    labels: Similarity | None = None,
    box: BoxForm = "xyxy",
    scale: float | None = None,
) -> Suite:
    """The metrics of a preset, for images, lists of boxes and the answers of models.

    >>> suite(iou=0.75)["boxes"]
    boxes.scored(level=0.75) | f1("boxes", eq("label") * (iou("bbox", box="xywh") >= 0.75))
    """
    TASK.check(preset, iou=iou, regions=regions, labels=labels, box=box, scale=scale)
    share, label = SHARES[regions], eq("label") if labels is None else labels
    how = ScoredBoxes(box, scale, regions, level=iou)
    title = {"iou": iou, "regions": regions, "labels": labels}
    metrics: dict[str, Similarity]
    match preset:
        case "iou":
            metrics = {
                "boxes": f1("boxes", label * (share >= iou)),
                "places": f1("boxes", share >= iou),
                "overlap": f1("boxes", label * share),
            }
        case "panoptic":
            how, title = replace(how, pairs="panoptic"), {"regions": regions}
            metrics = {
                "pq": f1("boxes", label * (share > 0.5) * share, empty=0),
                "sq": precision("found", label * (share > 0.5) * share, empty=0),
                "rq": f1("boxes", label * (share > 0.5), empty=0),
            }
        case _:
            how = replace(how, pairs="greedy" if preset == "coco" else "optimal")
            metrics, title = {name: f1(name, eq("pair")) for name in LEVELS}, {"regions": regions}
    where = "label" if how.pairs in ("none", "panoptic") else "value.label"
    return TASK.make_suite(preset, metrics, scored.of(how), title=title, by={"label": where})


LEVELS = {"at50": 0.5, "at75": 0.75}
"""Metric of `coco` and `optimal` -> the IoU from which a pair counts."""


class PairedBoxes(NamedTuple):
    """One side of an image whose boxes are paired."""

    boxes: tuple[Region, ...] = ()
    found: tuple[Region, ...] = ()
    at50: tuple[Numbered, ...] = ()
    at75: tuple[Numbered, ...] = ()


@dataclass(frozen=True, slots=True)
class ScoredBoxes:
    """The boxes of both sides that count, paired if a scorer pairs them in its own way.

    A reference box that is a crowd does not count, nor does a prediction without a partner, half of which lies in a
    crowd of its label. With a `scale`, predictions are numbers from 0 to the scale, whatever the size of the image.
    """

    box: BoxForm = "xyxy"
    scale: float | None = None
    regions: Regions = "boxes"
    level: float = 0.5
    pairs: Literal["none", "panoptic", "greedy", "optimal"] = "none"

    def __call__(self, pred: Any, ref: Any) -> tuple[Any, Any]:
        mine, theirs = self.read(pred, ref)
        try:
            if self.pairs in ("greedy", "optimal"):
                both = [self._rank(mine, theirs, level) for level in LEVELS.values()]
                return tuple(PairedBoxes((), (), *(one[side] for one in both)) for side in (0, 1))  # type: ignore[return-value]  # two sides
            return self._without_crowds(mine, theirs)
        except ValueError as error:
            raise DataError(str(error)) from None

    def read(self, pred: Any, ref: Any) -> tuple[ImageBoxes, ImageBoxes]:
        """Both images, in pixels of the reference if there is a scale; classes by name if their names are known."""
        mine = read_sides(lambda one: image(one, self.box), pred, None)[0]
        theirs = read_sides(lambda one: image(one, self.box, is_predicted=False), None, ref)[1]
        if names := {**mine.names, **theirs.names}:
            mine, theirs = (
                replace(side, boxes=tuple(replace(one, label=names.get(one.label, one.label)) for one in side.boxes))
                for side in (mine, theirs)
            )
        unranked = next((place for place, one in enumerate(mine.boxes) if one.score is None), None)
        if self.pairs in ("greedy", "optimal") and unranked is not None:
            advice = "expected a box with a score, by which COCO ranks; use the preset iou"
            raise DataError(advice, path=f"boxes[{unranked}]", side="prediction")
        if self.regions == "masks":
            for side, found in (("prediction", mine), ("reference", theirs)):
                lacking = next((place for place, one in enumerate(found.boxes) if one.mask is None), None)
                if lacking is not None:
                    advice = "expected a mask under segmentation or mask; leave out regions= to compare boxes"
                    raise DataError(advice, path=f"boxes[{lacking}]", side=side)
        if self.scale is None or not mine.boxes:
            return mine, theirs
        if not theirs.width or not theirs.height:
            raise DataError("expected the width and height of the image, which scale= needs", side="reference")
        across, down = theirs.width / self.scale, theirs.height / self.scale
        moved = (
            replace(one, bbox=(x * across, y * down, width * across, height * down))
            for one in mine.boxes
            for x, y, width, height in [one.bbox]
        )
        return replace(mine, boxes=tuple(moved)), theirs

    def _without_crowds(self, pred: ImageBoxes, ref: ImageBoxes) -> tuple[Any, Any]:
        mine, theirs = pred.boxes, tuple(one for one in ref.boxes if not one.crowd)
        crowds = [one for one in ref.boxes if one.crowd]
        pairs: list[tuple[int, int]] = []
        if crowds or self.pairs == "panoptic":
            share = SHARES[self.regions]
            same = eq("label") * ((share > self.level) if self.pairs == "panoptic" else (share >= self.level)) * share
            pairs = chosen_pairs(f1(None, same), mine, theirs)
        if crowds:
            from matchwise.tasks.boxes.coco import overlap_table

            inside = overlap_table(mine, crowds, self.regions) > 0.5
            paired = {i for i, _ in pairs}
            left_out = {
                i
                for i, one in enumerate(mine)
                if i not in paired and any(inside[i, j] and one.label == other.label for j, other in enumerate(crowds))
            }
            places = {i: place for place, i in enumerate(i for i in range(len(mine)) if i not in left_out)}
            mine, pairs = tuple(mine[i] for i in places), [(places[i], j) for i, j in pairs]
        if self.pairs == "none":
            return replace(pred, boxes=mine), replace(ref, boxes=theirs)
        found = tuple([mine[i] for i, _ in pairs]), tuple([theirs[j] for _, j in pairs])
        return PairedBoxes(mine, found[0]), PairedBoxes(theirs, found[1])

    def _rank(self, pred: ImageBoxes, ref: ImageBoxes, level: float) -> tuple[tuple[Numbered, ...], ...]:
        """The boxes that COCO counts, with their pairs at one IoU."""
        from matchwise.tasks.boxes.coco import MOST, Assign, best_first, match, overlap_table

        assign: Assign = "greedy" if self.pairs == "greedy" else "optimal"
        mine, theirs, pairs = list[Region](), list[Region](), list[tuple[int, int]]()
        for label in dict.fromkeys(one.label for one in (*ref.boxes, *pred.boxes)):
            found = best_first(one for one in pred.boxes if one.label == label)[: MOST[-1]]
            wanted = sorted((one for one in ref.boxes if one.label == label), key=lambda one: one.crowd)
            table, crowds = overlap_table(found, wanted, self.regions), [one.crowd for one in wanted]
            cells = [[(j, share) for j, share in enumerate(row) if share >= level] for row in table.tolist()]
            for one, j in zip(found, match(cells, crowds, crowds, assign), strict=True):
                if j < 0 or not crowds[j]:
                    pairs += [(len(mine), len(theirs) + j)] if j >= 0 else []
                    mine.append(one)
            theirs += [one for one in wanted if not one.crowd]
        return pair_up(mine, theirs, pairs)


scored = StepKind("scored", ScoredBoxes)
"""`boxes.scored()`: the boxes that count."""


def report(suite: Suite, pairs: Iterable[tuple[Any, Any]]) -> CocoScores:
    """The twelve numbers of pycocotools: `boxes.report(boxes.suite("coco"), zip(preds, refs))["ap"]`."""
    from matchwise.tasks.boxes.coco import coco_scores

    how = suite.steps[0].function
    assert isinstance(how, ScoredBoxes)
    if how.pairs not in ("greedy", "optimal"):
        raise ExpressionError("COCO's numbers are those of the presets coco and optimal; write --preset coco")
    return coco_scores((how.read(pred, ref) for pred, ref in pairs), how.pairs, how.regions)


NEAR = 0.1
"""The least IoU of a box that is in the wrong place; below it is another box (TIDE)."""


def errors(suite: Suite, metric: str) -> Analyse:
    """The kinds of errors of TIDE: class, location, both, duplicate, background (spurious) and missed."""
    from matchwise.tasks.errors import analyse_alone

    return analyse_alone(lambda pred, ref: [_sort_out(suite, metric, pred, ref)[0]])


def _sort_out(suite: Suite, metric: str, pred: Any, ref: Any) -> tuple[Level, ImageBoxes]:
    from matchwise.tasks.errors import Left, Rule, sort_out

    step, phi = split_step(suite.metrics[metric])
    assert step is not None
    how = step.function
    assert isinstance(how, ScoredBoxes)
    sides, key = step(pred, ref), metric if metric in LEVELS else "boxes"
    boxes = [[one.value if isinstance(one, Numbered) else one for one in getattr(side, key)] for side in sides]
    level = LEVELS.get(metric, how.level)
    pairs = chosen_pairs(f1("boxes", sigma_of(suite, metric).inner) if metric == "sq" else phi, *sides)
    near = {(i, j): w for i, j, w in similar_pairs(SHARES[how.regions], *boxes) if w >= NEAR}

    def join(left: Left, lacking: Left, is_same: bool | None, low: float, high: float) -> Iterator[tuple[int, int]]:
        free, open_ = set(left), set(lacking)
        for (i, j), w in sorted(near.items(), key=lambda one: -one[1]):
            agree = is_same is None or (boxes[0][i].label == boxes[1][j].label) == is_same
            if i in free and j in open_ and agree and low <= w < high:
                free.discard(i)
                open_.discard(j)
                yield i, j

    def repeat(left: Left, lacking: Left) -> Iterator[tuple[int, int]]:
        for i, one in left.items():
            again = [j for j, other in enumerate(boxes[1]) if other.label == one.label and near.get((i, j), 0) >= level]
            if again and again[0] not in lacking:
                yield i, again[0]

    rules = [
        Rule("class", lambda left, lacking: join(left, lacking, False, level, 2)),
        Rule("location", lambda left, lacking: join(left, lacking, True, NEAR, 2)),
        Rule("duplicate", repeat),
        Rule("class and location", lambda left, lacking: join(left, lacking, None, NEAR, 2)),
    ]
    credits = [(i, j, near.get((i, j), 0.0) if metric == "overlap" else 1) for i, j in pairs]
    made = sort_out("boxes", boxes[0], boxes[1], credits, rules, kind=lambda one, other: "location")
    return made, how.read(pred, ref)[1]


def view(suite: Suite, metric: str, pred: Any, ref: Any) -> View:
    """The boxes that are wrong, and all of them drawn."""
    from matchwise.tasks.views import elements_of, view_of_levels
    from matchwise.views.model import PictureBox, ViewPicture

    level, size = _sort_out(suite, metric, pred, ref)
    drawn = [
        PictureBox(one.bbox, one.label, status, side)
        for side, elements in zip(("predicted", "reference"), elements_of([level]), strict=True)
        for one, status in elements
    ]
    made = view_of_levels([level], metric, score(suite.metrics[metric], pred, ref))
    return replace(made, parts=(*made.parts, ViewPicture(tuple(drawn), size.width, size.height)))


TASK = Task(
    name="boxes",
    title="boxes and regions of images: F1 at an IoU, COCO's AP and AR, panoptic quality",
    presets={
        "iou": (
            "F1 of boxes with the same label and an IoU of at least 0.5 (option iou), without confidences, also "
            "whatever the label (places) and with partial credit for the IoU (overlap); the best matching."
        ),
        "coco": (
            "pycocotools: AP and AR by --layout official, greedy by confidence, with areas, crowds and at most 100 "
            "detections of a label; the table has F1 of all detections at IoU 0.5 and 0.75."
        ),
        "optimal": (
            "COCO's numbers with the best matching at every confidence: a detection that takes the box of another "
            "hands it back."
        ),
        "panoptic": (
            "panoptic quality: PQ = SQ × RQ over all segments of a corpus; the mean over labels is the official one "
            "(--by label). Segments that overlap are matched by the best matching."
        ),
    },
    suite=suite,
    options=(
        Option(
            "iou",
            help="the IoU from which two boxes are the same",
            type="number",
            takes="a number from 0 to 1",
            default=0.5,
            between=(0, 1),
            presets=("iou",),
        ),
        Option("regions", help="whether boxes or masks are compared"),
        label_option("labels", "boxes", "label", "labels", presets=("iou", "panoptic")),
        Option("box", help="what four numbers are that have no names"),
        Option(
            "scale",
            help="predicted numbers run from 0 to this, whatever the size of the image (1000: Qwen3-VL, Gemini)",
            type="number",
            takes="a number",
            default="none",
            between=(1e-9, 1e9),
        ),
    ),
    formats=("coco", "labelstudioboxes", "yolo", "boxlines"),
    references={
        "boxes": ("everingham-2010",),
        "at50": ("lin-2014",),
        "at75": ("lin-2014",),
        "pq": ("kirillov-2019",),
        "errors": ("bolya-2020",),
    },
    example="matchwise score boxes system.json -r instances.json --preset coco --layout official",
    view=view,
    errors=errors,
    report=report,
    shown=("boxes", "at50", "rq"),
)
