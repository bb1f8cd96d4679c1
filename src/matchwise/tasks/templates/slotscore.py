"""What MUC-4's program makes of one slot: the fillers of a response against those of a key, step by step.

1. Each filler of the key takes the first of the response that is equal.
2. Each filler of the response that is left takes what a person judged it to be, or the first of the key that it is
   partly right for: a place in the same country, a more general value of a closed list.
3. A value of a closed list with a wrong cross-reference, or without one, is at least partly right.
4. What is left is incorrect, pair by pair; the rest is missing or spurious.

A slot with one filler on each side skips the third step's search. A value with a cross-reference is right if the tag is
right, too: equal, or judged to be so in the slot that it refers to. A value that is partly right stays so whatever its
tag is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from matchwise.tasks.templates import muc4
from matchwise.tasks.templates.adjudication import About, JudgedFill, Judgements
from matchwise.tasks.templates.muc4 import Fill, are_equal, is_a, words_of


class Outcome(NamedTuple):
    """What became of a filler of the response, of the key, or of both, by their places in the slot."""

    pred: int | None
    ref: int | None
    credit: float = 0
    judged: bool = False
    """Whether a person gave the credit."""


@dataclass(frozen=True, slots=True)
class SlotScore:
    """The outcomes of a slot; `is_empty` if neither side had to fill it (the report's NON).

    `wrong` is how many wrong values of a closed list there could have been, which fallout is measured by.
    """

    outcomes: tuple[Outcome, ...] = ()
    is_empty: bool = False
    wrong: int = 0

    @property
    def possible(self) -> int:
        return sum(one.ref is not None for one in self.outcomes)

    def count(self, credit: float, *, judged: bool | None = None) -> int:
        """The pairs of fillers with this credit."""
        return sum(
            one.credit == credit and None not in (one.pred, one.ref) and judged in (None, one.judged)
            for one in self.outcomes
        )


@dataclass(frozen=True, slots=True)
class SlotRules:
    """How slots are compared: closed lists besides MUC-4's own, their hierarchy, what is ignored, what was judged."""

    categories: tuple[str, ...]
    hierarchy: Mapping[str, str]
    ignored: str
    judgements: Judgements

    def kind(self, slot: str) -> muc4.Kind:
        """What fills a slot; a slot that MUC-4 does not have holds text."""
        if slot in muc4.FILLED and (slot in self.categories) == (slot in muc4.CATEGORIES):
            return muc4.FILLED[slot].kind
        return "element" if slot in self.categories else "string"

    def is_general(self, general: Fill, special: Fill) -> bool:
        """True if the first value stands above the second in the hierarchy."""
        while isinstance(special, str) and special in self.hierarchy:
            special = self.hierarchy[special]
            if special == general:
                return True
        return False


class _Found(NamedTuple):
    """The fillers of a key that a response is right for; none if it is wrong for all of them."""

    places: tuple[int, ...] = ()
    credit: float = 0
    judged: bool = False


_WRONG = _Found()


class SlotScoring:
    """Scores the fillers of a slot; knows those that are still to be matched."""

    def __init__(
        self, rules: SlotRules, about: About, slot: str, responses: Sequence[Fill], keys: Sequence[Fill]
    ) -> None:
        self.rules, self.about, self.slot = rules, about, slot
        self.kind = rules.kind(slot)
        self.responses, self.keys = responses, keys
        self.left, self.open = list(range(len(responses))), list(range(len(keys)))
        """The places of responses and keys that are not matched yet."""
        self.failed: list[int] = []
        self.outcomes: list[Outcome] = []
        self.size = muc4.FILLED[slot].size if slot in muc4.FILLED else 0

    def score(self, *, final: bool = True) -> SlotScore:
        """Score the slot. While templates are still being paired it is not `final`: the third step is left out."""
        if len(self.responses) <= 1 and len(self.keys) <= 1:
            return self._single(final=final)
        for j in list(self.open):
            equal = next((i for i in self.left if self._equal(self.keys[j], self.responses[i])), None)
            if equal is not None:
                self._take(equal, _Found((j,), 1))
                self.left.remove(equal)
        if self.left and self.open:
            self._match(self._find)
        if self.left and self.open and final and self.kind == "element":
            self._match(self._find_value)
        extra = self._pair_rest()
        return SlotScore(tuple(self.outcomes), wrong=self._wrong(extra))

    def agree(self) -> bool | None:
        """True if two templates agree at least partly, where a common word is enough; None if neither has the slot."""
        is_single = len(self.responses) <= 1 and len(self.keys) <= 1
        found = self.score(final=False)
        if found.is_empty:
            return None
        if any(one.credit for one in found.outcomes):
            return True
        if is_single and self.kind != "string":
            return False
        left, open = [self.responses[i] for i in self.left], [self.keys[j] for j in self.open]
        return bool(words_of(left, self.rules.ignored) & words_of(open, self.rules.ignored))

    def _single(self, *, final: bool) -> SlotScore:
        """At most one filler on each side."""
        pred, ref = next(iter(self.responses), None), next(iter(self.keys), None)
        if (pred is None and (ref is None or is_a(ref, "optional"))) or (ref is None and is_a(pred, "optional")):
            return SlotScore((), is_empty=True, wrong=self.size)
        found: _Found | None = None
        if pred is not None and ref is not None:
            response, key = (one[1] if is_a(one, "optional") else one for one in (pred, ref))
            self.responses, self.keys = [response], [key]
            found = _Found((0,), 1) if self._equal(key, response) else self._find(0)
            if found is None and self.kind == "element":
                found = self._value_of(key, response, 0, final=final)
            self.left = [0] if found is None else []
        _, credit, judged = found or _WRONG
        outcome = Outcome(None if pred is None else 0, None if ref is None else 0, credit, judged)
        allowed = 0 if ref is None else _right_values(ref)
        return SlotScore((outcome,), wrong=self.size and self.size - allowed)

    def _match(self, find: Any) -> None:
        left, self.left = self.left, []
        for i in left:
            found = find(i)
            if found is None:
                self.left.append(i)
            elif found.credit:
                self._take(i, found)
            else:
                self.failed.insert(0, i)

    def _take(self, i: int, found: _Found) -> None:
        for j in found.places:
            self.outcomes.append(Outcome(i, j, found.credit, found.judged))
            if j in self.open:  # a judgement may name it twice
                self.open.remove(j)

    def _judgements_of(self, slot: str, response: Fill) -> list[JudgedFill]:
        return self.rules.judgements.find(self.about, slot, response, self.rules.ignored)

    def _equal(self, key: Fill, response: Fill) -> bool:
        return are_equal(key, response, self.rules.ignored)

    def _find(self, i: int) -> _Found | None:
        """The fillers of the key that a response belongs to, by its tag, by judgements, or because it is partly right.

        None if nothing is known of it.
        """
        response = self.responses[i]
        if is_a(_inner(response), "xref") and (tagged := self._find_tagged(_inner(response))):
            (last, judged), places = tagged[0], [j for j, _ in tagged]
            value = self._find_best(_inner(response)[1], [(j, _inner(self.keys[j])[1]) for j in places])
            if value is not None and judged is None:
                return _Found(value[:1], value[1])
            if value is not None:  # the program gives what the tag is worth, and all if it has several to choose from
                return _Found((last,), judged or 0) if len(places) == 1 else _Found((last,), 1, True)
            if len(places) < len(self.open):
                return _WRONG
        return self._find_judged(response) or self._find_plain(response)

    def _find_tagged(self, response: Fill) -> list[tuple[int, float | None]]:
        """The keys whose tags are right, the last first; with the credit that a person gave, if it was one."""
        found: list[tuple[int, float | None]] = []
        for j in self.open:
            key = _inner(self.keys[j])
            if not is_a(key, "xref") or key[2] is None:
                continue
            is_equal = self._equal(key[2], response[2])
            credit = None if is_equal else self._judge_tags(key[2], response[2])
            if credit is None and not is_equal:
                return []
            if is_equal or credit:
                found.insert(0, (j, credit))
        return found

    def _judge_tags(self, key: Fill, tag: Fill) -> float | None:
        """The credit that a person gave to what two tags refer to; None if the response's is the filler of no key."""
        for slot in muc4.FILLED[self.slot].refers if self.slot in muc4.FILLED else ():
            known = self._judgements_of(slot, tag)
            if any(one.key is None for one in known):
                return None
            for one in known:
                keys = one.key[1:] if is_a(one.key, "all-of") else (one.key,)
                if one.credit and any(self._equal(each, key) for each in keys):
                    return one.credit
        return 0

    def _find_best(self, value: Fill, keys: Sequence[tuple[int, Fill]]) -> tuple[int, float] | None:
        """The first key that a value is right for, else the first that it is partly right for."""
        for credit, test in ((1.0, self._equal), (0.5, self._is_partly)):
            for j, key in keys:
                if test(key, value):
                    return j, credit
        return None

    def _is_partly(self, key: Fill, value: Fill) -> bool:
        if self.kind == "location":
            if is_a(key, "or"):
                return any(self._is_partly(one, value) for one in key[1:])
            country = value[1] if is_a(value, "location") else value if isinstance(value, str) else None
            return country is not None and is_a(key, "location") and self._equal(key[1], country)
        return self.kind == "element" and self.rules.is_general(value, key)

    def _find_judged(self, response: Fill) -> _Found | None:
        for one in self._judgements_of(self.slot, response):
            if one.key is None:
                return _WRONG
            if not one.credit:
                continue
            if not self.open and is_a(one.key, "optional"):
                return _Found((), one.credit)  # the program drops a second response for an optional filler
            keys = one.key[1:] if is_a(one.key, "all-of") else (one.key,)
            places: list[int] = []
            for key in keys:
                key = _inner(key) if len(self.keys) == 1 else key
                same = [j for j in self.open if self._equal(self.keys[j], key)]
                places += sorted(same, key=places.count)[:1]  # another one, if there is one
            if len(places) == len(keys):
                return _Found(tuple(places), one.credit, True)
        return None

    def _find_plain(self, response: Fill) -> _Found | None:
        wrong = [one.key for one in self._judgements_of(self.slot, response) if one.key is not None and not one.credit]
        keys = [(j, self.keys[j]) for j in self.open if not any(self._equal(self.keys[j], key) for key in wrong)]
        found = self._find_best(response, keys)
        return None if found is None else _Found((found[0],), found[1])

    def _find_value(self, i: int) -> _Found | None:
        """The best key of a closed list, whatever its tag."""
        response = self.responses[i]
        if not self.open:
            return None

        several = [(j, self.keys[j]) for j in self.open]
        keys = [(j, one) for j, key in several for one in ((key[1], key) if is_a(_inner(key), "xref") else (key,))]
        best = self._find_best(response, keys)
        j = self.open[0] if best is None else best[0]
        return self._value_of(self.keys[j], response, j, final=True) or _WRONG

    def _value_of(self, key: Fill, response: Fill, j: int, *, final: bool) -> _Found | None:
        """Half of a value with a tag, if the response has the value without it, or a more general one.

        With a tag that is not known to be right, the program asks a person, whom the guidelines tell to give half.
        """
        if not is_a(_inner(key), "xref"):
            return None
        has_tag = is_a(_inner(response), "xref")
        for one in (response[1], response) if has_tag else (response,):
            if self._equal(key[1], one):
                return _Found((j,), 0.5, has_tag) if final or not has_tag else None
            if self._is_partly(key[1], one):
                return _Found((j,), 0.5)
        return None

    def _pair_rest(self) -> int:
        """Pair what is left; optional fillers only if they are needed. Returns how many of the key's were."""
        responses = self.left + self.failed
        p, r = (
            [[one for one in places if is_a(fills[one], "optional") == optional] for optional in (False, True)]
            for fills, places in ((self.responses, responses), (self.keys, self.open))
        )
        both = min(len(p[1]), len(r[1]))
        (needed_p, spare_p), (needed_r, spare_r) = ((needed, spare[: len(spare) - both]) for needed, spare in (p, r))
        preds, refs = needed_p + spare_p, needed_r + spare_r
        paired = min(len(preds), len(refs))
        self.outcomes += [Outcome(i, j) for i, j in zip(preds, refs, strict=False)]
        self.outcomes += [Outcome(i, None) for i in needed_p[paired:]]
        self.outcomes += [Outcome(None, j) for j in needed_r[paired:]]
        return paired - len(needed_r) if len(needed_r) < len(preds) <= len(refs) and not spare_p else 0

    def _wrong(self, extra: int) -> int:
        if not self.size:
            return 0
        used = {one.ref for one in self.outcomes if one.ref is not None}
        spare = [j for j in self.open if is_a(self.keys[j], "optional")]
        counted = [j for j in used if j not in spare]
        # the program counts the first optional filler as often as it needs one
        allowed = [_right_values(self.keys[j]) for j in counted] + [
            _right_values(self.keys[j]) for j in spare[:1]
        ] * extra
        return sum(self.size - one for one in allowed) if allowed else self.size


def _inner(fill: Fill) -> Fill:
    """A filler without the mark of an optional one, if it has a cross-reference."""
    return fill[1] if is_a(fill, "optional") and is_a(fill[1], "xref") else fill


def _right_values(key: Fill) -> int:
    """How many values of a closed list are right."""
    key = _inner(key)
    if is_a(key, "xref"):
        key = key[1]
    return 0 if key is None else len(key) - 1 if is_a(key, "or") else 1
