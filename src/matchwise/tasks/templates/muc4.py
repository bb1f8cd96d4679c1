"""MUC-4's templates: the slots, which of them hold categories, and the hierarchy of values.

The slots and the seven that pair templates are Chinchor's (1992); that a more general value is partly right is from the
scoring guidelines (M91-1039, M92-1044). The lists of values and premodifiers were files of the scorer that are not to
be had: HIERARCHY and PREMODIFIERS are ours, and options of the suite.
"""

from __future__ import annotations

_SLOTS: dict[str, tuple[str, ...]] = {
    "MESSAGE": ("ID", "TEMPLATE"),
    "INCIDENT": ("DATE", "LOCATION", "TYPE", "STAGE OF EXECUTION", "INSTRUMENT ID", "INSTRUMENT TYPE"),
    "PERP": ("INCIDENT CATEGORY", "INDIVIDUAL ID", "ORGANIZATION ID", "ORGANIZATION CONFIDENCE"),
    "PHYS TGT": ("ID", "TYPE", "NUMBER", "FOREIGN NATION", "EFFECT OF INCIDENT", "TOTAL NUMBER"),
    "HUM TGT": ("NAME", "DESCRIPTION", "TYPE", "NUMBER", "FOREIGN NATION", "EFFECT OF INCIDENT", "TOTAL NUMBER"),
}

SLOTS = {
    f"{group}: {name}": f"{group}_{name}".lower().replace(" ", "_") for group, names in _SLOTS.items() for name in names
}
"""The slots of a template in order, as key files write them and as we do: `PHYS TGT: ID` is `phys_tgt_id`."""

TYPE = "incident_type"

KNOWN = tuple(SLOTS.values())

STRING_FILLS = (
    "incident_instrument_id",
    "perp_individual_id",
    "perp_organization_id",
    "phys_tgt_id",
    "hum_tgt_name",
    "hum_tgt_description",
)

SET_FILLS = (
    "incident_type",
    "incident_stage_of_execution",
    "incident_instrument_type",
    "perp_incident_category",
    "perp_organization_confidence",
    "phys_tgt_type",
    "phys_tgt_foreign_nation",
    "phys_tgt_effect_of_incident",
    "hum_tgt_type",
    "hum_tgt_foreign_nation",
    "hum_tgt_effect_of_incident",
)

NUMBERS = ("phys_tgt_number", "phys_tgt_total_number", "hum_tgt_number", "hum_tgt_total_number")
"""Compared as categories are; the scores of set fills are without them."""

WHOLE = ("incident_date", "incident_location")
"""Text that is right as a whole only: two dates of one month share words."""

CATEGORIES = (*SET_FILLS, *NUMBERS)

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
    "ATTACK": ("ARSON", "BOMBING", "FORCED WORK STOPPAGE", "HIJACKING", "KIDNAPPING", "ROBBERY"),
    "GUN": ("HANDGUN", "MACHINE GUN", "MORTAR", "RIFLE"),
    "EXPLOSIVE": ("AERIAL BOMB", "BOMB", "DYNAMITE", "GRENADE", "MINE", "MOLOTOV COCKTAIL", "PROJECTILE"),
    "PROJECTILE": ("MISSILE", "ROCKET"),
    "BOMB": ("VEHICLE BOMB",),
    "SUSPECTED OR ACCUSED": ("SUSPECTED OR ACCUSED BY AUTHORITIES",),
    "MILITARY": ("ACTIVE MILITARY", "FORMER ACTIVE MILITARY"),
    "GOVERNMENT OFFICIAL": ("FORMER GOVERNMENT OFFICIAL",),
}
"""Incident types, instruments, the confidence in the organization, people: value -> those that are less general."""

HIERARCHY = {value: general for general, values in _BELOW.items() for value in values}
"""value -> the more general one."""

PREMODIFIERS = (
    "A AN THE THIS THAT THESE THOSE SOME ANY ALL BOTH EACH OTHER OTHERS SEVERAL MANY FEW VARIOUS UNIDENTIFIED UNKNOWN "
    "ALLEGED PRESUMED SUSPECTED OF FROM IN AT ON BY FOR TO AND OR WITH MR MRS MISS DR ONE TWO THREE FOUR FIVE SIX "
    "SEVEN EIGHT NINE TEN"
)
"""Words that two strings may share without being about the same thing."""
