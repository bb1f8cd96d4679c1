"""What to cite for the metrics of relations."""

from __future__ import annotations

REFERENCES: dict[str, str] = {
    "strict": """@inproceedings{taille-2020,
  title = {Let's Stop Incorrect Comparisons in End-to-end Relation Extraction!},
  author = {Taill{\\'e}, Bruno and Guigue, Vincent and Scoutheeten, Geoffrey and Gallinari, Patrick},
  booktitle = {Proceedings of the 2020 Conference on Empirical Methods in Natural Language Processing},
  pages = {3689--3701},
  year = {2020}
}""",
    "relaxed": """@article{bekoulis-2018,
  title = {Joint Entity Recognition and Relation Extraction as a Multi-head Selection Problem},
  author = {Bekoulis, Giannis and Deleu, Johannes and Demeester, Thomas and Develder, Chris},
  journal = {Expert Systems with Applications},
  volume = {114},
  pages = {34--45},
  year = {2018}
}""",
    "pairs": """@inproceedings{wadden-2019,
  title = {Entity, Relation, and Event Extraction with Contextualized Span Representations},
  author = {Wadden, David and Wennberg, Ulme and Luan, Yi and Hajishirzi, Hannaneh},
  booktitle = {Proceedings of the 2019 Conference on Empirical Methods in Natural Language Processing},
  pages = {5784--5789},
  year = {2019}
}""",
    "ign": """@inproceedings{yao-2019,
  title = {{DocRED}: A Large-Scale Document-Level Relation Extraction Dataset},
  author = {Yao, Yuan and Ye, Deming and Li, Peng and Han, Xu and Lin, Yankai and Liu, Zhenghao and Liu, Zhiyuan
            and Huang, Lixin and Zhou, Jie and Sun, Maosong},
  booktitle = {Proceedings of the 57th Annual Meeting of the Association for Computational Linguistics},
  pages = {764--777},
  year = {2019}
}""",
}

CITED = {
    "strict": ("taille-2020",),
    "boundaries": ("taille-2020",),
    "relaxed": ("bekoulis-2018",),
    "relations": ("yao-2019",),
    "ign": ("yao-2019",),
    "evidence": ("yao-2019",),
}
