"""Seeded sentences with events, and what an extractor made of them: triggers moved, roles confused, some lost."""

from __future__ import annotations

from random import Random

from matchwise.tasks.events import Argument, Event, EventSet, Trigger
from matchwise.tasks.ner import Mention

TYPES = tuple(f"type {k}" for k in range(33))
ROLES = tuple(f"role {k}" for k in range(22))


def event_sentences(documents: int, seed: int = 7) -> tuple[list[EventSet], list[EventSet]]:
    """Documents of 20 sentences, every third without an event; a prediction is right about four times of five."""
    random = Random(seed)

    def mention() -> Mention:
        left = random.randrange(25)
        return Mention((left, left + random.randint(1, 3)))

    def argument() -> Argument:
        return Argument(mention(), random.choice(ROLES))

    def event() -> Event:
        return Event(
            Trigger(mention(), random.choice(TYPES)), tuple(argument() for _ in range(random.choice((0, 1, 2, 2, 4))))
        )

    def misread(one: Event) -> Event:
        trig = one.trig if random.random() < 0.85 else Trigger(mention(), one.trig.type)
        trig = trig if random.random() < 0.9 else Trigger(trig.mention, random.choice(TYPES))
        args = tuple(arg if random.random() < 0.75 else argument() for arg in one.args if random.random() < 0.9)
        return Event(trig, args)

    refs, preds = [], []
    for _ in range(documents * 20):
        events = [event() for _ in range(random.choice((0, 0, 1, 1, 1, 2)))]
        refs.append(EventSet(tuple(events)))
        preds.append(EventSet(tuple(misread(one) for one in events if random.random() < 0.9)))
    return preds, refs
