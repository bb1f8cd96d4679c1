"""The man page has every command and option, and roff prints it as it was written."""

from matchwise.cli.arguments import parser, subparsers
from matchwise.cli.commands.completions import entries, examples, man_page


def test_the_man_page_has_every_command_and_option() -> None:
    page = man_page("1.0").replace("\\-", "-")
    for name, command in subparsers(parser()).items():
        assert f"\n.SH {name.upper()}\n" in page
        for option in command.options():
            assert option in page or option in ("-h", "--help")


def test_no_line_of_text_is_a_request_of_roff() -> None:
    known = (".TH", ".SH", ".SS", ".TP", ".B ", ".nf", ".fi")
    assert [
        line for line in man_page("1.0").splitlines() if line.startswith((".", "'")) and line[:3] not in known
    ] == []


def test_an_option_is_written_with_its_value_and_its_default() -> None:
    groups = dict(entries(subparsers(parser())["duplicates"]))
    words = [entry.words for group in groups.values() for entry in group]
    assert "--threshold T" in words
    assert "-o, --output FILE" in words
    assert all("%(" not in entry.sentence for group in groups.values() for entry in group)


def test_examples_are_commands() -> None:
    assert all("matchwise" in line for command in subparsers(parser()).values() for line in examples(command))
