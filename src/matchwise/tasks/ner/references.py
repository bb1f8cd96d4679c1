"""What to cite for named entity recognition."""

from __future__ import annotations

_SANG = """@inproceedings{tjong-kim-sang-de-meulder-2003,
  title = {Introduction to the {CoNLL}-2003 Shared Task: Language-Independent Named Entity Recognition},
  author = {Tjong Kim Sang, Erik F. and De Meulder, Fien},
  booktitle = {Proceedings of the Seventh Conference on Natural Language Learning at {HLT-NAACL} 2003},
  pages = {142--147},
  year = {2003}
}"""

_SEQEVAL = """@misc{seqeval,
  title = {{seqeval}: A {Python} Framework for Sequence Labeling Evaluation},
  author = {Nakayama, Hiroki},
  year = {2018},
  note = {https://github.com/chakki-works/seqeval}
}"""

_MUC = """@inproceedings{chinchor-sundheim-1993,
  title = {{MUC}-5 Evaluation Metrics},
  author = {Chinchor, Nancy and Sundheim, Beth},
  booktitle = {Fifth Message Understanding Conference ({MUC}-5)},
  year = {1993}
}"""

_SEMEVAL = """@inproceedings{segura-bedmar-2013,
  title = {{SemEval}-2013 Task 9: Extraction of Drug-Drug Interactions from Biomedical Texts},
  author = {Segura-Bedmar, Isabel and Mart{\\'i}nez, Paloma and Herrero-Zazo, Mar{\\'i}a},
  booktitle = {Second Joint Conference on Lexical and Computational Semantics (*{SEM}), Volume 2},
  pages = {341--350},
  year = {2013}
}"""

REFERENCES: dict[str, str] = {
    "strict": _SANG,
    "exact": _SEMEVAL,
    "partial": _MUC,
    "type": _SEMEVAL,
    "accuracy": _SANG,
    "seqeval": _SEQEVAL,
}
"""Metric (or preset) -> BibTeX."""

CITED: dict[str, tuple[str, ...]] = {
    "strict": ("tjong-kim-sang-de-meulder-2003",),
    "exact": ("segura-bedmar-2013",),
    "partial": ("chinchor-sundheim-1993",),
    "type": ("segura-bedmar-2013",),
    "accuracy": ("tjong-kim-sang-de-meulder-2003",),
}
