"""Mistakes that a type checker names before anything runs; `test_types.py` reads the codes at the end of the lines."""

import matchwise as mw
from matchwise.tasks import ner

mw.f1("relations", match="2:1")  # arg-type
mw.f1("relations", mach="1:1")  # call-arg
mw.normalize(mw.eq("type"), "f2")  # arg-type
mw.score(mw.f1("relations"), {})  # call-arg
mw.score("ner", [], [])  # arg-type
print(mw.evaluate(ner.suite(), [], []).f1)  # attr-defined
print(mw.evaluate(ner.suite(), [], [])["strict"].f2)  # attr-defined
mw.evaluate(ner.suite(), [], [], on_error="ignore")  # arg-type
mw.compare([mw.f1("relations")])  # arg-type
