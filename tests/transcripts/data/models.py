from dataclasses import dataclass, field


@dataclass
class Relation:
    type: str
    subj: str
    obj: str


@dataclass
class Page:
    relations: list[Relation] = field(default_factory=list)
