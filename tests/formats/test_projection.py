"""Reading only what a metric compares gives the same numbers as reading everything, or is refused."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from matchwise.algebra.build import eq, f1, jaccard, latent, mean, overlap, recall, var
from matchwise.corpus.suite import Suite
from matchwise.corpus.tally import Tally
from matchwise.formats.io.lockstep import Lockstep, agreeing
from matchwise.formats.io.projection import projection
from matchwise.formats.io.spill import Seen
from matchwise.formats.jsonl import JsonLines

SUITES = [
    Suite(a=f1("xs", eq("t") * eq("s"))),
    Suite(a=f1("xs", eq("t")), b=recall("ys"), c=jaccard("ys", match="N:1")),
    Suite(a=overlap("xs", eq("t") * eq("s"), match="N:N"), b=f1("xs", eq("t") * eq("s"), match="1:N", empty=0)),
]
PLAIN = st.none() | st.integers(0, 2) | st.sampled_from(["a", "b", ""])
ELEMENTS = st.lists(st.fixed_dictionaries({"t": PLAIN, "s": PLAIN}, optional={"other": PLAIN}), max_size=6)
DOCUMENTS = st.fixed_dictionaries({"xs": ELEMENTS, "ys": st.lists(PLAIN, max_size=6)})


def encoded(documents) -> list[bytes]:
    return [json.dumps({"id": number, **document}).encode() + b"\n" for number, document in enumerate(documents)]


@pytest.mark.parametrize("suite", SUITES, ids=repr)
@given(st.lists(st.tuples(DOCUMENTS, DOCUMENTS), min_size=1, max_size=4))
def test_the_counts_are_those_of_the_engine(suite, pairs) -> None:
    found = projection(suite, "id")
    assert found is not None
    preds, refs = (found.documents(encoded(side)) for side in zip(*pairs, strict=True))
    assert preds is not None
    assert refs is not None
    tally = Tally(suite)
    for pred, ref in pairs:
        tally.add(pred, ref)
    assert found.count(preds, refs) == tally.rows


@pytest.mark.parametrize(
    "document",
    [
        {"xs": [{"t": True, "s": 1}]},
        {"xs": [{"t": 1.0, "s": 1}]},
        {"xs": [{"t": [1], "s": 1}]},
        {"xs": [{"t": 1}]},
        {"xs": None},
        {"xs": {"t": 1, "s": 1}},
        {"xs": [7]},
        {},
    ],
    ids=str,
)
def test_a_block_is_refused_where_keys_are_not_plain(document) -> None:
    found = projection(SUITES[0], "id")
    assert found is not None
    assert found.documents(encoded([document])) is None


@pytest.mark.parametrize(
    "lines", [[b"\n"], [b'{"xs": []}\n'], [b'{"id": 1, "xs": []\n'], [b'{"id": true, "xs": []}\n']]
)
def test_a_block_is_refused_where_a_line_is_no_named_document(lines) -> None:
    found = projection(SUITES[0], "id")
    assert found is not None
    assert found.documents(lines) is None


@pytest.mark.parametrize(
    "suite",
    [
        Suite(a=f1("xs", eq("t")), b=f1("xs", eq("s"))),
        Suite(a=f1("x.ys")),
        Suite(a=f1("xs", f1("ys"))),
        Suite(a=f1("xs", order="sequence")),
        Suite(a=mean(f1("xs"))),
        Suite(a=latent(f1("xs", var("t")))),
        Suite({"a": f1("xs")}, prepare=lambda pred, ref: (pred, ref)),
        Suite(a=f1("id")),
    ],
    ids=repr,
)
def test_other_metrics_are_read_whole(suite) -> None:
    assert projection(suite, "id") is None


@pytest.mark.parametrize("ranges", [False, True])
def test_files_are_read_in_blocks_until_their_ids_disagree(tmp_path: Path, ranges: bool) -> None:
    def file(name: str, ids: list[int]) -> JsonLines:
        path = tmp_path / name
        path.write_text("".join(json.dumps({"id": id, "ys": [id]}) + "\n" for id in ids))
        return JsonLines(str(path))

    same = list(range(100))
    preds, refs = file("a.jsonl", [*same, 101, 100]), file("b.jsonl", [*same, 100, 101])
    found = projection(Suite(a=f1("ys")), "id")
    assert found is not None
    steps = Lockstep(preds, refs, Seen())
    counted = []
    for both in steps.stretches(lambda before: 64, ranges=ranges):
        block = agreeing(both, preds, refs, found)
        if not steps.settle(None if block is None else block.ids):
            break
        assert block is not None
        counted += block.ids
    assert counted == same[:64]
    assert [entry.id for entry in refs] == [*same, 100, 101][len(counted) :]
    assert [entry.id for entry in preds] == [*same, 101, 100][len(counted) :]
    preds.close()
    refs.close()


def test_a_block_with_other_values_is_read_document_by_document(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps({"id": id, "ys": [id / 2]}) + "\n" for id in range(40)))
    preds, refs = JsonLines(str(path)), JsonLines(str(path))
    found = projection(Suite(a=f1("ys")), "id")
    assert found is not None
    stretches = Lockstep(preds, refs, Seen()).stretches(lambda before: 16)
    blocks = [agreeing(both, preds, refs, found) for both in stretches]
    assert [block and block.rows for block in blocks] == [None, None, None]
    pairs = [pair for block in blocks if block is not None for pair in block.pairs]
    assert [(pair.ref.document["ys"], preds.place(pair.ref)[-2:]) for pair in pairs[8:10]] == [
        ([4.0], ":9"),
        ([4.5], "10"),
    ]
    preds.close()
    refs.close()
