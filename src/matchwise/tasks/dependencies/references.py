"""What to cite for dependency parsing."""

from __future__ import annotations

_BUCHHOLZ = """@inproceedings{buchholz-marsi-2006,
  title = {{CoNLL-X} Shared Task on Multilingual Dependency Parsing},
  author = {Buchholz, Sabine and Marsi, Erwin},
  booktitle = {Proceedings of the Tenth Conference on Computational Natural Language Learning},
  pages = {149--164},
  year = {2006}
}"""

_ZEMAN = """@inproceedings{zeman-2018,
  title = {{CoNLL} 2018 Shared Task: Multilingual Parsing from Raw Text to Universal Dependencies},
  author = {Zeman, Daniel and Haji{\\v{c}}, Jan and Popel, Martin and Potthast, Martin and Straka, Milan
            and Ginter, Filip and Nivre, Joakim and Petrov, Slav},
  booktitle = {Proceedings of the {CoNLL} 2018 Shared Task},
  pages = {1--21},
  year = {2018}
}"""

_NIVRE = """@inproceedings{nivre-fang-2017,
  title = {Universal Dependency Evaluation},
  author = {Nivre, Joakim and Fang, Chiao-Ting},
  booktitle = {Proceedings of the {NoDaLiDa} 2017 Workshop on Universal Dependencies},
  pages = {86--95},
  year = {2017}
}"""

_BOUMA = """@inproceedings{bouma-2020,
  title = {Overview of the {IWPT} 2020 Shared Task on Parsing into Enhanced Universal Dependencies},
  author = {Bouma, Gosse and Seddah, Djam{\\'e} and Zeman, Daniel},
  booktitle = {Proceedings of the 16th International Conference on Parsing Technologies},
  pages = {151--161},
  year = {2020}
}"""

REFERENCES: dict[str, str] = {"uas": _BUCHHOLZ, "mlas": _ZEMAN, "clas": _NIVRE, "elas": _BOUMA}

CITED: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("tokens", "sentences", "words", "upos", "xpos", "ufeats", "all_tags", "lemmas"), ("zeman-2018",)),
    "uas": ("buchholz-marsi-2006",),
    "las": ("buchholz-marsi-2006",),
    "clas": ("nivre-fang-2017",),
    "mlas": ("zeman-2018",),
    "blex": ("zeman-2018",),
    "elas": ("bouma-2020",),
    "eulas": ("bouma-2020",),
}
