"""All leaves. Importing this module puts them into the vocabulary of `parse`, which is why `parse` is offered here."""

from matchwise.algebra.parse import parse as parse
from matchwise.similarities.boxes import centre as centre
from matchwise.similarities.boxes import giou as giou
from matchwise.similarities.dates import date as date
from matchwise.similarities.dates import within as within
from matchwise.similarities.embedding import embedding as embedding
from matchwise.similarities.judge import judge as judge
from matchwise.similarities.numbers import close as close
from matchwise.similarities.numbers import near as near
from matchwise.similarities.numbers import number as number
from matchwise.similarities.ontology import informativity as informativity
from matchwise.similarities.ontology import levels as levels
from matchwise.similarities.ontology import ontology as ontology
from matchwise.similarities.ontology import supertypes as supertypes
from matchwise.similarities.spans import head as head
from matchwise.similarities.spans import iou as iou
from matchwise.similarities.spans import left as left
from matchwise.similarities.spans import right as right
from matchwise.similarities.spans import touch as touch
from matchwise.similarities.strings import casefold as casefold
from matchwise.similarities.strings import edit as edit
from matchwise.similarities.strings import jaro as jaro
from matchwise.similarities.strings import normalizer as normalizer
from matchwise.similarities.strings import quote as quote
from matchwise.similarities.strings import text as text
from matchwise.similarities.strings import tokens as tokens
