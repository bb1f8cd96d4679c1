"""Named entity recognition and other tasks of typed spans: tags or spans in, four kinds of F1 and error categories out.

>>> from matchwise.corpus.tally import Tally
>>> pred, ref = ["B-PER", "I-PER", "O", "B-LOC"], ["B-PER", "I-PER", "I-PER", "B-LOC"]
>>> report = Tally(suite()).add(pred, ref).report()
>>> report["strict"].f1, report["partial"].f1
(0.5, 0.75)
"""

from matchwise.tasks.catalogue.ner import TASK as TASK
from matchwise.tasks.ner.documents import SELECTORS as SELECTORS
from matchwise.tasks.ner.documents import mentions as mentions
from matchwise.tasks.ner.documents import mentions_bilou as mentions_bilou
from matchwise.tasks.ner.documents import mentions_conlleval as mentions_conlleval
from matchwise.tasks.ner.documents import mentions_iob1 as mentions_iob1
from matchwise.tasks.ner.documents import mentions_iob2 as mentions_iob2
from matchwise.tasks.ner.documents import mentions_iobes as mentions_iobes
from matchwise.tasks.ner.documents import mentions_ioe1 as mentions_ioe1
from matchwise.tasks.ner.documents import mentions_ioe2 as mentions_ioe2
from matchwise.tasks.ner.documents import mentions_plain as mentions_plain
from matchwise.tasks.ner.documents import mentions_seqeval as mentions_seqeval
from matchwise.tasks.ner.documents import same_tokens as same_tokens
from matchwise.tasks.ner.mentions import Extraction as Extraction
from matchwise.tasks.ner.mentions import Mention as Mention
from matchwise.tasks.ner.mentions import Sentence as Sentence
from matchwise.tasks.ner.mentions import Span as Span
from matchwise.tasks.ner.mentions import Tagged as Tagged
from matchwise.tasks.ner.mentions import mention as mention
from matchwise.tasks.ner.mentions import span as span
from matchwise.tasks.ner.presets import gradings as gradings
from matchwise.tasks.ner.presets import suite as suite
from matchwise.tasks.ner.steps import nervaluate as nervaluate
from matchwise.tasks.ner.tags import SCHEMES as SCHEMES
from matchwise.tasks.ner.tags import Scheme as Scheme
from matchwise.tasks.ner.tags import read_tags as read_tags
from matchwise.tasks.ner.tokens import Token as Token
from matchwise.tasks.ner.tokens import tokens as tokens
