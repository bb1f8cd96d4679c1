"""MUC-4's templates: the slots and what fills them, the hierarchy of values, the premodifiers.

These are the configuration files of the scoring program in the final test of 1992.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

Kind: TypeAlias = Literal["date", "location", "number", "string", "element"]
"""How the fillers of a slot are written and compared; an element is one of a closed list."""


class Slot(NamedTuple):
    """A slot: how key files and the score report call it, what fills it, whose fillers it refers to.

    `size` is the number of values of a closed list.
    """

    line: str
    row: str
    kind: Kind
    refers: tuple[str, ...] = ()
    size: int = 0


_PHYS = ("phys_tgt_id",)
_HUM = ("hum_tgt_name", "hum_tgt_description")

_TABLE = (
    Slot("INCIDENT: DATE", "inc-date", "date"),
    Slot("INCIDENT: LOCATION", "inc-loc", "location"),
    Slot("INCIDENT: TYPE", "inc-type", "element", size=7),
    Slot("INCIDENT: STAGE OF EXECUTION", "inc-stage", "element", size=3),
    Slot("INCIDENT: INSTRUMENT ID", "inc-instr-id", "string"),
    Slot("INCIDENT: INSTRUMENT TYPE", "inc-instr-type", "element", ("incident_instrument_id",), 20),
    Slot("PERP: INCIDENT CATEGORY", "perp-inc-cat", "element", size=2),
    Slot("PERP: INDIVIDUAL ID", "perp-ind-id", "string"),
    Slot("PERP: ORGANIZATION ID", "perp-org-id", "string", ("perp_individual_id",)),
    Slot("PERP: ORGANIZATION CONFIDENCE", "perp-org-conf", "element", ("perp_organization_id",), 6),
    Slot("PHYS TGT: ID", "phys-tgt-id", "string"),
    Slot("PHYS TGT: TYPE", "phys-tgt-type", "element", _PHYS, 15),
    Slot("PHYS TGT: NUMBER", "phys-tgt-num", "number", _PHYS),
    Slot("PHYS TGT: FOREIGN NATION", "phys-tgt-nation", "element", _PHYS, 76),
    Slot("PHYS TGT: EFFECT OF INCIDENT", "phys-tgt-effect", "element", _PHYS, 6),
    Slot("PHYS TGT: TOTAL NUMBER", "phys-tgt-total-num", "number"),
    Slot("HUM TGT: NAME", "hum-tgt-name", "string"),
    Slot("HUM TGT: DESCRIPTION", "hum-tgt-desc", "string", ("hum_tgt_name",)),
    Slot("HUM TGT: TYPE", "hum-tgt-type", "element", _HUM, 10),
    Slot("HUM TGT: NUMBER", "hum-tgt-num", "number", _HUM),
    Slot("HUM TGT: FOREIGN NATION", "hum-tgt-nation", "element", _HUM, 76),
    Slot("HUM TGT: EFFECT OF INCIDENT", "hum-tgt-effect", "element", _HUM, 9),
    Slot("HUM TGT: TOTAL NUMBER", "hum-tgt-total-num", "number"),
)

FILLED = {one.line.lower().replace(": ", "_").replace(" ", "_"): one for one in _TABLE}
"""Our name of a slot -> what is known of it, in the order of the report: `PHYS TGT: ID` is `phys_tgt_id`."""

TEMPLATE = "message_template"
"""The number of a template; a judgement of this slot says which templates belong together."""

SLOTS = {"MESSAGE: ID": "message_id", "MESSAGE: TEMPLATE": TEMPLATE} | {one.line: name for name, one in FILLED.items()}
"""The slots of a template as key files write them -> as we do."""

TYPE = "incident_type"

KNOWN = tuple(SLOTS.values())

STRING_FILLS = tuple(name for name, one in FILLED.items() if one.kind == "string")

SET_FILLS = tuple(name for name, one in FILLED.items() if one.kind == "element")

WHOLE = ("incident_date", "incident_location")
"""Text that is not compared word by word."""

CATEGORIES = tuple(name for name, one in FILLED.items() if one.kind in ("element", "number"))

ANCHORS = (
    "phys_tgt_id",
    "phys_tgt_type",
    "hum_tgt_name",
    "hum_tgt_description",
    "hum_tgt_type",
    "perp_individual_id",
    "perp_organization_id",
)
"""Two templates are paired only if they agree, at least partly, in one of these seven slots."""

_BELOW: dict[str, tuple[str, ...]] = {
    "ATTACK": ("ARSON", "BOMBING", "KIDNAPPING", "HIJACKING", "ROBBERY", "FORCED WORK STOPPAGE"),
    "GUN": ("MACHINE GUN", "MORTAR", "HANDGUN", "RIFLE"),
    "EXPLOSIVE": ("BOMB", "GRENADE", "MOLOTOV COCKTAIL"),
    "BOMB": ("VEHICLE BOMB", "DYNAMITE", "MINE", "AERIAL BOMB"),
    "PROJECTILE": ("MISSILE", "ROCKET"),
    "SUSPECTED OR ACCUSED": ("SUSPECTED OR ACCUSED BY AUTHORITIES",),
    "POLITICAL FIGURE OFFICE OR RESIDENCE": ("GOVERNMENT OFFICE OR RESIDENCE",),
    "DESTROYED": ("SOME DAMAGE",),
    "POLITICAL FIGURE": ("GOVERNMENT OFFICIAL",),
    "GOVERNMENT OFFICIAL": ("FORMER GOVERNMENT OFFICIAL",),
    "ACTIVE MILITARY": ("FORMER ACTIVE MILITARY",),
    "NO INJURY": ("NO DEATH",),
    "NO DEATH": ("NO INJURY OR DEATH",),
}
"""Value -> those that are less general."""

HIERARCHY = {value: general for general, values in _BELOW.items() for value in values}
"""value -> the more general one."""

PREMODIFIERS = (
    "A THE AN THIS THAT THESE THOSE ONE TWO THREE FOUR FIVE SIX SEVEN EIGHT NINE TEN 1 2 3 4 5 6 7 8 9 10 "
    "MORE MOST MANY SEVERAL SOME ALL FEW ANY ANOTHER OTHER CERTAIN OF"
)
"""Words that two strings may share without being about the same thing, in the order in which they are taken out."""
