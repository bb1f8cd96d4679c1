"""`--jobs` on files of a task's own format: one process reads, the others count, and the result is that of one."""

import random

import pytest

TAGS = ("O", "O", "B-PER", "I-PER", "B-LOC")


ALONE, SENT = ("--jobs", "1"), ("--jobs", "2", "--timeout", "60")
"""One process, and several that are sent every document: only another process can be stopped."""


def tagged(seed: int) -> str:
    draw = random.Random(seed)
    sentences = ("".join(f"w{n} {draw.choice(TAGS)}\n" for n in range(draw.randint(1, 9))) for _ in range(200))
    return "\n".join(sentences)


def same_lengths(seed: int) -> str:
    draw, shape = random.Random(seed), random.Random(1)
    return "\n".join("".join(f"w{n} {draw.choice(TAGS)}\n" for n in range(shape.randint(1, 9))) for _ in range(200))


def conllu(cut: bool) -> str:
    draw, made = random.Random(3), []
    for number in range(120):
        words = [f"w{number}x{n}" for n in range(draw.randint(9, 14))]
        joined = cut and number % 7 == 6
        made = [*made[:-1], made[-1] + words] if joined else [*made, words]
    return "".join(
        "".join(f"{n}\t{w}\t_\tX\t_\t_\t{n - 1}\tdep\t_\t_\n" for n, w in enumerate(words, 1)) + "\n" for words in made
    )


@pytest.mark.parametrize("shown", [(), ("--per-document",), ("--by", "type")])
def test_tags_are_counted_as_by_one_process(run, write, shown) -> None:
    words = ("score", "ner", write("run.conll", same_lengths(1)), "-r", write("gold.conll", same_lengths(2)), *shown)
    one, two = (run(*words, "--format", "json", "--quiet", *jobs) for jobs in (ALONE, SENT))
    assert two == one
    assert one.code == 0


@pytest.mark.parametrize("shown", [(), ("--per-document",)])
def test_sentences_that_are_cut_elsewhere_are_counted_as_by_one_process(run, write, shown) -> None:
    words = ("score", "dependencies", write("run.conllu", conllu(True)), "-r", write("gold.conllu", conllu(False)))
    one, two = (run(*words, *shown, "--format", "json", "--quiet", *jobs) for jobs in (ALONE, SENT))
    assert two == one
    assert one.code == 0


@pytest.mark.parametrize("more", [(), ("--on-error", "skip")])
def test_errors_are_said_as_by_one_process(run, write, more) -> None:
    gold, broken = same_lengths(2), same_lengths(1).split("\n")
    broken[700] = "one two three four"
    words = ("score", "ner", write("run.conll", "\n".join(broken)), "-r", write("gold.conll", gold), *more)
    one, two = (run(*words, "--quiet", *jobs) for jobs in (ALONE, SENT))
    assert two == one
    assert "run.conll:701: found 4 columns, expected 2 as on line 1" in one.err


def test_files_with_other_sentences_are_refused_as_by_one_process(run, write) -> None:
    words = ("score", "ner", write("run.conll", tagged(1)), "-r", write("gold.conll", tagged(2) + "\nw B-PER\n"))
    one, two = (run(*words, "--quiet", *jobs) for jobs in (ALONE, SENT))
    assert two == one


def test_an_id_that_comes_again_is_found(run, write) -> None:
    text = "".join(f"#begin document (d{k % 59}); part 0\nd 0 0 I PRP (1)\n#end document\n" for k in range(60))
    words = ("score", "coref", write("run.conll", text), "-r", write("gold.conll", text))
    one, two = (run(*words, "--quiet", *jobs) for jobs in (ALONE, SENT))
    assert two == one
    assert "begins again, first on line 1" in one.err


def test_a_packed_file_is_read_by_one_process(run, write) -> None:
    words = ("score", "ner", write("run.conll.gz", same_lengths(1)), "-r", write("gold.conll", same_lengths(2)))
    one, two = (run(*words, "--quiet", *jobs) for jobs in (ALONE, SENT))
    assert two == one
    assert one.code == 0
