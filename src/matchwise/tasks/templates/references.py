"""What to cite for a metric of templates."""

from __future__ import annotations

REFERENCES: dict[str, str] = {
    "all": """@inproceedings{chinchor-1992,
  title = {{MUC}-4 Evaluation Metrics},
  author = {Chinchor, Nancy},
  booktitle = {Fourth Message Understanding Conference ({MUC}-4)},
  year = {1992}
}""",
    "overall": """@inproceedings{du-2021,
  title = {Template Filling with Generative Transformers},
  author = {Du, Xinya and Rush, Alexander and Cardie, Claire},
  booktitle = {Proceedings of the 2021 Conference of the North American Chapter of the ACL},
  pages = {909--914},
  year = {2021}
}""",
    "rme_subset": """@inproceedings{chen-2023-iterative,
  title = {Iterative Document-level Information Extraction via Imitation Learning},
  author = {Chen, Yunmo and Gantt, William and Gu, Weiwei and Chen, Tongfei and White, Aaron Steven and
            Van Durme, Benjamin},
  booktitle = {Proceedings of the 17th Conference of the European Chapter of the ACL},
  pages = {1858--1874},
  year = {2023}
}""",
    "muc4": """@inproceedings{chen-2023-unified,
  title = {A Unified View of Evaluation Metrics for Structured Prediction},
  author = {Chen, Yunmo and Gantt, William and Chen, Tongfei and White, Aaron Steven and Van Durme, Benjamin},
  booktitle = {Proceedings of the 2023 Conference on Empirical Methods in Natural Language Processing},
  year = {2023}
}""",
    "granular": """@inproceedings{mckinnon-2022,
  title = {The {IARPA} {BETTER} Program Abstract Task Four New Semantically Annotated Corpora from {IARPA}'s {BETTER}
           Program},
  author = {Mckinnon, Timothy and Rubino, Carl},
  booktitle = {Proceedings of the Thirteenth Language Resources and Evaluation Conference},
  year = {2022}
}""",
    "errors": """@inproceedings{das-2022,
  title = {Automatic Error Analysis for Document-level Information Extraction},
  author = {Das, Aliva and Du, Xinya and Wang, Barry and Shi, Kejian and Gu, Jiayuan and Porter, Thomas and
            Cardie, Claire},
  booktitle = {Proceedings of the 60th Annual Meeting of the Association for Computational Linguistics},
  year = {2022}
}""",
}

CITED: dict[str, dict[str, str]] = {
    "paper": {
        "muc4": "chen-2023-unified",
        "types": "chen-2023-unified",
        "ree": "du-2021",
        "rme_subset": "chen-2023-iterative",
        "rme_phi3": "chen-2023-iterative",
    },
    "muc4": dict.fromkeys(("all", "matched", "matched_missing", "strings", "sets", "text_filtering"), "chinchor-1992"),
    "gtt": {"overall": "du-2021"},
    "iterx": {"rme_subset": "chen-2023-iterative", "rme_phi3": "chen-2023-iterative"},
    "better": {"types": "mckinnon-2022", "fillers": "mckinnon-2022", "granular": "mckinnon-2022"},
}
"""Preset -> metric -> the key of what to cite."""
