"""What to cite for the scores of structured documents."""

from __future__ import annotations

BIBTEX = {
    "chen-etal-2023-unified": """\
@inproceedings{chen-etal-2023-unified,
  title = {A Unified View of Evaluation Metrics for Structured Prediction},
  author = {Chen, Yunmo and Gantt, William and Chen, Tongfei and White, Aaron Steven and Van Durme, Benjamin},
  booktitle = {Proceedings of the 2023 Conference on Empirical Methods in Natural Language Processing},
  year = {2023},
  pages = {12868--12882},
  url = {https://aclanthology.org/2023.emnlp-main.795}
}""",
    "peer-etal-2024-anls": """\
@misc{peer-etal-2024-anls,
  title = {{ANLS*} -- A Universal Document Processing Metric for Generative Large Language Models},
  author = {Peer, David and Sch{\\"o}pf, Philemon and Nebendahl, Volckmar and Rietzler, Alexander
            and Stabinger, Sebastian},
  year = {2024},
  eprint = {2402.03848},
  archivePrefix = {arXiv}
}""",
    "braintrust-autoevals": """\
@software{braintrust-autoevals,
  title = {{AutoEvals}},
  author = {{Braintrust Data}},
  url = {https://github.com/braintrustdata/autoevals}
}""",
}

REFERENCES = {
    "score": BIBTEX["chen-etal-2023-unified"],
    "anls_star": BIBTEX["peer-etal-2024-anls"],
    "json_diff": BIBTEX["braintrust-autoevals"],
}
