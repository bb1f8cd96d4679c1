"""The man page has every command and option, and roff prints it as it was written."""

from manual import man_page

from matchwise.cli.parser import COMMANDS, command_parser


def test_the_man_page_has_every_command_and_option() -> None:
    page = man_page("1.0").replace("\\-", "-")
    for name in COMMANDS:
        assert f"\n.SH {name.upper()}\n" in page
        for option in command_parser(name)._option_string_actions:
            assert option in page or option in ("-h", "--help")


def test_no_line_of_text_is_a_request_of_roff() -> None:
    known = (".TH", ".SH", ".SS", ".TP", ".B ", ".nf", ".fi")
    assert [
        line for line in man_page("1.0").splitlines() if line.startswith((".", "'")) and line[:3] not in known
    ] == []


def test_an_option_is_written_with_its_value_and_its_default() -> None:
    groups = dict(command_parser("duplicates").entries())
    words = [entry.words for group in groups.values() for entry in group]
    assert "--threshold T" in words
    assert "-o, --output FILE" in words
    assert all("%(" not in entry.sentence for group in groups.values() for entry in group)


def test_examples_are_commands() -> None:
    assert all("matchwise" in line for name in COMMANDS for line in command_parser(name).examples())
