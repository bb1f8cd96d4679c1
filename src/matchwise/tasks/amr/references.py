"""What to cite for each metric."""

from __future__ import annotations

REFERENCES: dict[str, str] = {
    "smatch": """@inproceedings{cai-knight-2013,
  title = {Smatch: an Evaluation Metric for Semantic Feature Structures},
  author = {Cai, Shu and Knight, Kevin},
  booktitle = {Proceedings of the 51st Annual Meeting of the Association for Computational Linguistics (Volume 2)},
  pages = {748--752},
  year = {2013}
}""",
    "smatchpp": """@inproceedings{opitz-2023,
  title = {{SMATCH}++: Standardized and Extended Evaluation of Semantic Graphs},
  author = {Opitz, Juri},
  booktitle = {Findings of the Association for Computational Linguistics: EACL 2023},
  pages = {1595--1607},
  year = {2023}
}""",
    "aspects": """@inproceedings{damonte-2017,
  title = {An Incremental Parser for Abstract Meaning Representation},
  author = {Damonte, Marco and Cohen, Shay B. and Satta, Giorgio},
  booktitle = {Proceedings of the 15th Conference of the European Chapter of the Association for Computational
               Linguistics: Volume 1},
  pages = {536--546},
  year = {2017}
}""",
    "coreference": """@inproceedings{naseem-2022,
  title = {{DocAMR}: Multi-Sentence {AMR} Representation and Evaluation},
  author = {Naseem, Tahira and Blodgett, Austin and Kumaravel, Sadhana and O'Gorman, Tim and Lee, Young-Suk
            and Flanigan, Jeffrey and Astudillo, Ram{\\'o}n and Florian, Radu and Roukos, Salim and Schneider, Nathan},
  booktitle = {Proceedings of the 2022 Conference of the North American Chapter of the Association for Computational
               Linguistics: Human Language Technologies},
  pages = {3496--3505},
  year = {2022}
}""",
}
