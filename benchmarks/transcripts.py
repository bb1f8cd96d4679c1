"""Speech: error rates of lines, of a long text and of a meeting, beside jiwer, MeetEval and pyannote.metrics."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from random import Random
from typing import Any

import jiwer
from meeteval.io import SegLST
from meeteval.wer.wer.cp import cp_word_error_rate
from meeteval.wer.wer.time_constrained import tcp_word_error_rate
from pyannote.core import Annotation, Segment
from pyannote.metrics.diarization import DiarizationErrorRate
from workload.clock import seconds
from workload.table import Table, duration

from matchwise import error_rate, evaluate, score
from matchwise.compat import jiwer as dropin
from matchwise.tasks import transcripts

WORDS = [f"w{number}" for number in range(5000)]
LINES, LONG, UTTERANCES = 5_000, 10_000, 600


def noisy(random: Random, words: list[str]) -> list[str]:
    return [random.choice(WORDS) if random.random() < 0.1 else word for word in words if random.random() > 0.05]


def meeting(random: Random, speakers: int, utterances: int) -> list[dict[str, Any]]:
    free, made = [0.0] * speakers, []
    for _ in range(utterances):
        who = random.randrange(speakers)
        start = free[who] + random.expovariate(0.1)
        words = random.choices(WORDS, k=random.randrange(1, 25))
        free[who] = start + 0.35 * len(words)
        times = {"start_time": start, "end_time": free[who]}
        made.append({"session_id": "m", "speaker": str(who), **times, "words": " ".join(words)})
    return made


def heard(random: Random, one: dict[str, Any]) -> dict[str, Any]:
    return one | {"speaker": f"s{one['speaker']}", "words": " ".join(noisy(random, one["words"].split())) or "uh"}


def annotation(segments: list[dict[str, Any]]) -> Annotation:
    made = Annotation()
    for place, one in enumerate(segments):
        made[Segment(one["start_time"], one["end_time"]), place] = one["speaker"]
    return made


def main() -> None:
    warnings.simplefilter("ignore")
    random = Random(1)
    refs = [random.choices(WORDS, k=random.randrange(5, 40)) for _ in range(LINES)]
    preds = [noisy(random, ref) for ref in refs]
    said, got = (list(map(" ".join, side)) for side in (refs, preds))
    table = Table("speech, beside jiwer, MeetEval and pyannote.metrics")

    def add(workload: str, ours: Callable[[], Any], theirs: Callable[[], Any], target: float) -> None:
        mine, other = seconds(ours, times=3), seconds(theirs, times=3)
        ratio = other / mine
        table.add(
            workload, duration(mine), f"≥ {target}×", ratio >= target, peer=duration(other), ratio=f"{ratio:.1f}×"
        )

    suite, wer = transcripts.suite(), error_rate(order="sequence")
    both = lambda: (jiwer.process_words(said, got), jiwer.process_characters(said, got))  # noqa: E731
    add(f"WER, CER, MER and WIL of {LINES:,} lines", lambda: evaluate(suite, got, said), both, 0.5)
    mine = lambda: (dropin.process_words(said, got), dropin.process_characters(said, got))  # noqa: E731
    add(f"the drop-in for jiwer, words and characters of {LINES:,} lines", mine, both, 0.9)
    add(f"WER of {LINES:,} lists of words", lambda: evaluate(wer, preds, refs), lambda: jiwer.wer(said, got), 1)
    long = random.choices(WORDS, k=LONG)
    other = noisy(random, long)
    texts = " ".join(long), " ".join(other)
    add(f"WER of one text of {LONG:,} words", lambda: score(wer, other, long), lambda: jiwer.wer(*texts), 0.8)
    spoken = meeting(random, 6, UTTERANCES)
    found = [heard(random, one) for one in spoken]
    words = sum(len(one["words"].split()) for one in spoken)
    cp, tcp = transcripts.suite("meeteval"), transcripts.suite("meeteval", collar=5)["tcpwer"]
    der = transcripts.suite("pyannote", collar=0.5)["der"]
    theirs = SegLST(spoken), SegLST(found)
    add(
        f"cpWER of a meeting, 6 speakers, {words:,} words",
        lambda: evaluate(cp, [found], [spoken]),
        lambda: cp_word_error_rate(*theirs),
        1,
    )
    add(
        "tcpWER of it, collar 5 s",
        lambda: evaluate(tcp, [found], [spoken]),
        lambda: tcp_word_error_rate(*theirs, collar=5),
        0.1,
    )
    add(
        "DER of it, collar 0.5 s",
        lambda: evaluate(der, [found], [spoken]),
        lambda: DiarizationErrorRate(collar=0.5)(annotation(spoken), annotation(found)),
        1,
    )


if __name__ == "__main__":
    main()
