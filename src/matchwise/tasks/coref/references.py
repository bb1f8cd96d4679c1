"""What to cite for each metric of coreference."""

from __future__ import annotations

BIBTEX = {
    "vilain-etal-1995-model": """\
@inproceedings{vilain-etal-1995-model,
  title = {A Model-Theoretic Coreference Scoring Scheme},
  author = {Vilain, Marc and Burger, John and Aberdeen, John and Connolly, Dennis and Hirschman, Lynette},
  booktitle = {Sixth Message Understanding Conference ({MUC}-6)},
  year = {1995},
  pages = {45--52},
  url = {https://aclanthology.org/M95-1005}
}""",
    "bagga-baldwin-1998-algorithms": """\
@inproceedings{bagga-baldwin-1998-algorithms,
  title = {Algorithms for Scoring Coreference Chains},
  author = {Bagga, Amit and Baldwin, Breck},
  booktitle = {LREC Workshop on Linguistic Coreference},
  year = {1998},
  pages = {563--566}
}""",
    "luo-2005-coreference": """\
@inproceedings{luo-2005-coreference,
  title = {On Coreference Resolution Performance Metrics},
  author = {Luo, Xiaoqiang},
  booktitle = {Proceedings of HLT-EMNLP},
  year = {2005},
  pages = {25--32},
  url = {https://aclanthology.org/H05-1004}
}""",
    "recasens-hovy-2011-blanc": """\
@article{recasens-hovy-2011-blanc,
  title = {{BLANC}: Implementing the {R}and Index for Coreference Evaluation},
  author = {Recasens, Marta and Hovy, Eduard},
  journal = {Natural Language Engineering},
  volume = {17},
  number = {4},
  pages = {485--510},
  year = {2011}
}""",
    "luo-etal-2014-extension": """\
@inproceedings{luo-etal-2014-extension,
  title = {An Extension of {BLANC} to System Mentions},
  author = {Luo, Xiaoqiang and Pradhan, Sameer and Recasens, Marta and Hovy, Eduard},
  booktitle = {Proceedings of the 52nd Annual Meeting of the {ACL} (Volume 2: Short Papers)},
  year = {2014},
  pages = {24--29},
  url = {https://aclanthology.org/P14-2005}
}""",
    "moosavi-strube-2016-coreference": """\
@inproceedings{moosavi-strube-2016-coreference,
  title = {Which Coreference Evaluation Metric Do You Trust? A Proposal for a Link-based Entity Aware Metric},
  author = {Moosavi, Nafise Sadat and Strube, Michael},
  booktitle = {Proceedings of the 54th Annual Meeting of the {ACL} (Volume 1: Long Papers)},
  year = {2016},
  pages = {632--642},
  url = {https://aclanthology.org/P16-1060}
}""",
    "pradhan-etal-2014-scoring": """\
@inproceedings{pradhan-etal-2014-scoring,
  title = {Scoring Coreference Partitions of Predicted Mentions: A Reference Implementation},
  author = {Pradhan, Sameer and Luo, Xiaoqiang and Recasens, Marta and Hovy, Eduard and Ng, Vincent and
            Strube, Michael},
  booktitle = {Proceedings of the 52nd Annual Meeting of the {ACL} (Volume 2: Short Papers)},
  year = {2014},
  pages = {30--35},
  url = {https://aclanthology.org/P14-2006}
}""",
    "zabokrtsky-etal-2022-findings": """\
@inproceedings{zabokrtsky-etal-2022-findings,
  title = {Findings of the Shared Task on Multilingual Coreference Resolution},
  author = {Žabokrtský, Zdeněk and Konopík, Miloslav and Nedoluzhko, Anna and Novák, Michal and Ogrodniczuk, Maciej and
            Popel, Martin and Pražák, Ondřej and Sido, Jakub and Zeman, Daniel and Zhu, Yilun},
  booktitle = {Proceedings of the {CRAC} 2022 Shared Task on Multilingual Coreference Resolution},
  year = {2022},
  pages = {1--17},
  url = {https://aclanthology.org/2022.crac-mcr.1}
}""",
    "tuggener-2014-coreference": """\
@inproceedings{tuggener-2014-coreference,
  title = {Coreference Resolution Evaluation for Higher Level Applications},
  author = {Tuggener, Don},
  booktitle = {Proceedings of the 14th Conference of the European Chapter of the {ACL} (Volume 2: Short Papers)},
  year = {2014},
  pages = {231--235}
}""",
    "denis-baldridge-2009-global": """\
@article{denis-baldridge-2009-global,
  title = {Global Joint Models for Coreference Resolution and Named Entity Classification},
  author = {Denis, Pascal and Baldridge, Jason},
  journal = {Procesamiento del Lenguaje Natural},
  volume = {42},
  pages = {87--96},
  year = {2009}
}""",
}  # fmt: skip
"""Key -> entry."""

CITED: dict[str, tuple[str, ...]] = {
    "mentions": ("pradhan-etal-2014-scoring",),
    "muc": ("vilain-etal-1995-model",),
    "b3": ("bagga-baldwin-1998-algorithms",),
    "ceaf_m": ("luo-2005-coreference",),
    "ceaf_e": ("luo-2005-coreference",),
    "lea": ("moosavi-strube-2016-coreference",),
    "blanc": ("recasens-hovy-2011-blanc", "luo-etal-2014-extension"),
    "mor": ("zabokrtsky-etal-2022-findings",),
    "zeros": ("tuggener-2014-coreference", "zabokrtsky-etal-2022-findings"),
    "conll": ("denis-baldridge-2009-global", "pradhan-etal-2014-scoring"),
}
"""Metric -> the keys of what to cite for it."""

REFERENCES: dict[str, str] = {metric: "\n\n".join(BIBTEX[key] for key in keys) for metric, keys in CITED.items()}
"""Metric -> BibTeX."""
