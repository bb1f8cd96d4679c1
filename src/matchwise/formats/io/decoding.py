"""From the bytes of one JSON document to an object: a plain value, or one of the user's type.

msgspec decodes dataclasses, structs, attrs classes, typed dictionaries and named tuples; a type of Pydantic is
validated by Pydantic. An error says `path: found, expected`, as `relations[3].subj: found str "12", expected int`.

A line of a model's log holds the text that the model wrote under some key:

>>> value_at({"id": 7, "choices": [{"message": {"content": "{}"}}]}, "choices.0.message.content")
'{}'
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from matchwise.algebra.names import given
from matchwise.errors import DeriveError, FormatError, MatchwiseError, suggestion
from matchwise.formats.io.source import TOO_LARGE

if TYPE_CHECKING:
    from matchwise.deriving.fit import Fit

Id: TypeAlias = str | int

NOWHERE = object()
"""What a path leads to that a document does not have."""

UnknownKeys: TypeAlias = Literal["error", "warn", "ignore"]


DEFAULT_KEY = "id"
"""Documents that have no such key are paired by position."""


@dataclass(eq=False, kw_only=True)
class Decoding:
    """How the documents of a file are decoded; small, and can be sent to another process."""

    type: Any = field(default=None, kw_only=False)
    key: str | None = "id"
    key_advice: str = "write --id KEY for another"
    """What is said where a document does not have the key."""
    unknown_keys: UnknownKeys = "error"
    keep_id: bool = True
    """Whether the id is left in a plain document, or taken out because it is a name and no content."""
    several: bool = False
    """Whether each document is a list of them, under `"references"`."""
    text: str | None = None
    """Where a line has the document, or the text that a model wrote, as a dotted path; None if it is the line."""
    find: bool = True
    """Whether JSON is looked for in that text, or the text is the document because a form reads it."""
    has_form: bool = False
    """Whether a form reads what is not JSON, and says what is wrong with it."""
    checked: Any = None
    """A type whose keys a document must have no others than, though it stays plain JSON."""

    def __post_init__(self) -> None:
        import msgspec

        self.warnings: Counter[str] = Counter()
        """What was dropped and let pass, as messages."""
        self._raw = msgspec.json.Decoder().decode
        self._typed: Callable[[bytes], Any] | None = None if self.type is None else _make_decoder(self.type)
        checked = self.checked if self.type is None else self.type
        self._fit = None if checked is None or self.unknown_keys == "ignore" else _make_fit(checked)
        """Finds what decoding would drop; None if it drops nothing, or nobody wants to know."""
        self._id: Any = None
        if self.several:
            listed = msgspec.defstruct("Listed", [("references", list[msgspec.Raw])])
            self._listed: Any = msgspec.json.Decoder(listed).decode
        if self.key is not None:
            named = msgspec.defstruct("Named", [("id", str | int | None, None)], rename={"id": self.key})
            self._id = msgspec.json.Decoder(named).decode

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(Decoding, **given(self)), ()

    def document(self, data: bytes) -> tuple[Id | None, Any]:
        """The id and the document; FormatError without a place says what is wrong."""
        try:
            if self.several:
                return self._several(data)
            return self._one(data) if self.text is None else self._inside(data, self.text)
        except MemoryError:
            pass  # it holds on to what was decoded so far, and is let go before anyone is told
        raise FormatError(TOO_LARGE)

    def _inside(self, data: bytes, path: str) -> tuple[Id | None, Any]:
        """The id of a line, and the document under a path in it."""
        record = self._plain(data)
        id = None if self.key is None else self._id_of(record)
        value = value_at(record, path)
        if not self.find:
            return id, value
        import msgspec

        found = find_json(value, path, self.warnings) if isinstance(value, str) else value
        try:
            data = msgspec.json.encode(found)
        except (UnicodeEncodeError, OverflowError):  # a lone surrogate, or a number of more than 64 bits
            data = json.dumps(found, default=str).encode()
        return id, self._one(data, named=False)[1]

    def _several(self, data: bytes) -> tuple[Id | None, list[Any]]:
        """The id and the list of references; each is decoded as a document by itself."""
        try:
            listed = self._listed(data).references
        except (ValueError, RecursionError) as error:
            raise describe_error(error, data) from None
        if not listed:
            raise FormatError("references: found an empty list, expected at least one reference")
        made = []
        for place, raw in enumerate(listed):
            try:
                made.append(self._one(bytes(raw), named=False)[1])
            except FormatError as error:
                raise FormatError(f"references[{place}].{error.problem}") from None
        return self.id(data), made

    def _one(self, data: bytes, *, named: bool = True) -> tuple[Id | None, Any]:
        named = named and self.key is not None
        if self._typed is None:
            document = self._plain(data)
            if self._fit is not None:
                self._check_keys(document, self._fit)
            id = self._id_of(document) if named else None
            if named and not self.keep_id and type(document) is dict:
                document.pop(self.key, None)
            return id, document
        try:
            if self._fit is None:
                return self.id(data) if named else None, self._typed(data)
            raw = self._raw(data)
            self._check_keys(raw, self._fit)
            return self._id_of(raw) if named else None, self._typed(data)
        except FormatError:
            raise
        except (ValueError, RecursionError) as error:  # all errors of msgspec and of Pydantic are ValueErrors
            raise describe_error(error, data) from None

    def _plain(self, data: bytes) -> Any:
        """A JSON value; Python's json reads what msgspec refuses: NaN, infinities, lone surrogates, 1e400."""
        try:
            return self._raw(data)
        except (ValueError, RecursionError) as error:
            try:
                return json.loads(data)
            except (ValueError, RecursionError):
                raise describe_error(error, data) from None

    def is_json(self, data: bytes) -> bool:
        """False for what no decoder takes, whatever it should be."""
        try:
            self._plain(data)
        except FormatError:
            return False
        return True

    def id(self, data: bytes) -> Id | None:
        """The id alone, without decoding the rest."""
        if self._id is None:
            return None
        try:
            found: Id | None = self._id(data).id
        except (ValueError, RecursionError):
            return self._id_of(self._plain(data))
        return self._id_of({}) if found is None else found

    def _id_of(self, document: Any) -> Id | None:
        """The id; a key that was asked for by name must be there: pairing by position would hide a misspelling."""
        if type(document) is not dict:
            return None
        id: Id | None = document.get(self.key)
        if id is None and self.key != DEFAULT_KEY:
            raise FormatError(f"found no key {self.key!r} for the id; {self.key_advice}")
        if id is None or type(id) is str or type(id) is int:
            return id
        raise FormatError(f"{self.key}: found {_show(id)}, expected text or a whole number")

    def _check_keys(self, raw: Any, fit: Fit) -> None:
        for fault in fit.losses(raw):
            if fault.path == self.key:
                continue
            if self.unknown_keys == "error" and fault.is_undeclared:
                raise FormatError(str(fault))
            self.warnings[fault.kind] += 1


def guess_id(data: bytes, key: str | None) -> Id | None:
    """The id of a line that cannot be decoded, if it is still legible; keys inside other values are not the line's."""
    import msgspec

    depth = 0
    for found in _TOKENS.finditer(data) if key is not None else ():
        if found["name"] is None:
            depth += 1 if found[0] in b"{[" else -1
        elif found["value"] is not None and depth == 1:
            try:
                if msgspec.json.decode(found["name"]) == key:
                    id: Id = msgspec.json.decode(found["value"])
                    return id
            except ValueError:  # a wrong escape, or bytes that are not UTF-8
                continue
    return None


_STRING = rb'"(?:[^"\\]|\\.)*+"'
_TOKENS = re.compile(
    rb'(?P<name>%b)(?:\s*:\s*(?P<value>%b|-?\d+(?=\s*[,}])))?|[{}\[\]]|".*' % (_STRING, _STRING), re.DOTALL
)
"""A string, with its value if it is a key of a text or a whole number; a bracket; a string that is cut off."""


def _make_fit(T: Any) -> Fit | None:
    """What finds the parts of a value that decoding into a type would drop; None if nothing can be dropped."""
    from matchwise.deriving.fit import Fit

    try:
        made = Fit(T)
    except DeriveError:  # of what the type leaves open nothing is known
        return None
    return made if made.may_lose else None


def _make_decoder(T: Any) -> Callable[[bytes], Any]:
    """bytes -> an object of the type."""
    from matchwise.deriving.typeinfo import is_pydantic_model, type_name

    if isinstance(T, type) and is_pydantic_model(T):
        return _validator(T)
    import msgspec

    try:
        return msgspec.json.Decoder(T).decode
    except TypeError as error:
        # msgspec refuses unions of two dataclasses (msgspec issue 982); Pydantic takes them.
        try:
            return _validator(T)
        except ImportError:
            raise MatchwiseError(
                f"{type_name(T)} cannot be decoded: {error}; install pydantic, or tag the classes as msgspec structs"
            ) from None


def _validator(T: Any) -> Callable[[bytes], Any]:
    from pydantic import TypeAdapter
    from pydantic.errors import PydanticUserError

    from matchwise.deriving.typeinfo import type_name

    try:
        return TypeAdapter(T).validate_json
    except PydanticUserError as error:
        raise MatchwiseError(f"{type_name(T)} cannot be decoded: {error}") from None


_MSGSPEC = re.compile(r"^(?P<what>.*?)(?: - at `(?:key in )?(?P<path>[^`]*)`)?$", re.DOTALL)
_EXPECTED = re.compile(r"^Expected `(?P<expected>.*)`, got `(?P<found>.*)`$")
_MISSING = re.compile(r"^Object missing required field `(?P<name>.*)`$")


def describe_error(error: Exception, data: bytes) -> FormatError:
    """Describe what is wrong with a document, in our words."""
    errors = getattr(error, "errors", None)
    if callable(errors):
        return FormatError(_describe_pydantic(errors(include_url=False)))
    text = str(error)
    if isinstance(error, RecursionError):
        return FormatError("found JSON that is nested too deeply to read")
    if isinstance(error, UnicodeDecodeError):
        try:
            data.decode("utf-8")
        except UnicodeDecodeError as wrong:
            place = wrong.start
            return FormatError(f"found byte 0x{data[place]:02x} at byte {place}, expected UTF-8 text")
        return FormatError("found text that is not UTF-8")
    if text == "Input data was truncated":
        return FormatError("found JSON that ends too early, expected one whole document on each line")
    if text.startswith("JSON is malformed"):
        return FormatError(_describe_malformed(text, data))
    found = _MSGSPEC.match(text)
    assert found is not None
    path = (found["path"] or "$").removeprefix("$").removeprefix(".")
    where = f"{path}: " if path else ""
    if expected := _EXPECTED.match(found["what"]):
        value = _value_at(data, found["path"] or "$")
        shown = expected["found"] if value is NOWHERE else _show(value)
        return FormatError(f"{where}found {shown}, expected {expected['expected'].replace('object | null', 'object')}")
    if missing := _MISSING.match(found["what"]):
        value = _value_at(data, found["path"] or "$")
        names = value.keys() if isinstance(value, dict) else ()
        near = suggestion(missing["name"], names)
        return FormatError(f"{where}found no key {missing['name']!r}{near.replace('did you mean', 'is it')}")
    return FormatError(f"{where}{found['what']}")


def _describe_pydantic(errors: list[dict[str, Any]]) -> str:
    """Up to three of Pydantic's complaints."""
    said = []
    for error in errors[:3]:
        where = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in error["loc"]).lstrip(".")
        found = "" if error["type"] == "missing" else f"found {_show(error['input'])}: "
        said.append(f"{where}: {found}{error['msg']}" if where else f"{found}{error['msg']}")
    more = len(errors) - len(said)
    return "; ".join(said) + (f"; and {more} more" if more else "")


def _describe_malformed(text: str, data: bytes) -> str:
    place = re.search(r"\(byte (\d+)\)", text)
    at = int(place[1]) if place else 0
    near = data[max(0, at - 10) : at + 15].decode("utf-8", "replace").strip()
    if b"\x00" in data[:1000]:
        return "found binary data, expected one JSON document on each line"
    if re.match(rb"-?(NaN|Infinity)", data[at:]):
        return f"found {near!r} at byte {at}, which is not JSON; write null when saving"
    what = text.removeprefix("JSON is malformed: ").rsplit(" (byte", 1)[0]
    return f"found malformed JSON near {near!r} at byte {at} ({what}), expected one JSON document on each line"


def _value_at(data: bytes, path: str) -> Any:
    """The value that a path of msgspec leads to, as far as it can be followed."""
    import msgspec

    try:
        value = msgspec.json.decode(data)
        return follow(value, path.removeprefix("$").removeprefix(".")) if path != "$" else value
    except (ValueError, RecursionError):
        return NOWHERE


def _show(value: Any) -> str:
    """A value of JSON as people write it: `str "12"`, `object {"a": 1}`."""
    from matchwise.deriving.faults import show_json

    kind = "object" if type(value) is dict else type(value).__name__
    return "null" if value is None else f"{kind} {show_json(value)}"


NO_KEY = "found no key"
"""How the message begins about a line that does not have what --text names."""


def follow(record: Any, path: str) -> Any:
    """The value under a dotted path, `NOWHERE` if there is none; a whole number is a place in a list."""
    value = record
    for step in path.replace("[", ".").replace("]", "").split("."):
        if isinstance(value, list) and step.lstrip("-").isdecimal() and -len(value) <= int(step) < len(value):
            value = value[int(step)]
        elif isinstance(value, dict) and step in value:
            value = value[step]
        else:
            return NOWHERE
    return value


def value_at(record: Any, path: str) -> Any:
    """The value under a dotted path, which must be there."""
    value = follow(record, path)
    if value is None:
        raise FormatError(f"{path}: found null, expected the text of a model, or a document")
    if value is not NOWHERE:
        return value
    done, before = "", record
    for step in path.replace("[", ".").replace("]", "").split("."):
        found = follow(before, step)
        if found is NOWHERE:
            break
        done, before = f"{done}.{step}".removeprefix("."), found
    hint = suggestion(step, before if isinstance(before, dict) else (), "; write --text KEY for another")
    raise FormatError(f"{done + ': ' if done else ''}{NO_KEY} {step!r}{hint}")


def find_json(text: str, path: str, warnings: Counter[str]) -> Any:
    """The JSON value in a text; how it was found is a warning."""
    from matchwise.tasks.documents.loading import load

    value, faults = load(text, fences="find")
    for fault in faults:
        if fault.is_unreadable:
            raise FormatError(f"{path}: {fault}")
        warnings[f"{path}: {fault.kind}"] += 1
    return value
