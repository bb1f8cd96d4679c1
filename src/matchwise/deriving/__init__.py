"""Types -> expressions, and expressions checked against types."""

from matchwise.deriving.check import check as check
from matchwise.deriving.hints import Hint as Hint
from matchwise.deriving.hints import Var as Var
from matchwise.deriving.hints import any_of as any_of
from matchwise.deriving.hints import evidence as evidence
from matchwise.deriving.hints import floor as floor
from matchwise.deriving.hints import ignore as ignore
from matchwise.deriving.hints import keyed as keyed
from matchwise.deriving.hints import name as name
from matchwise.deriving.hints import ordered as ordered
from matchwise.deriving.hints import positional as positional
from matchwise.deriving.hints import register as register
from matchwise.deriving.hints import registered as registered
from matchwise.deriving.hints import strict as strict
from matchwise.deriving.hints import weight as weight
from matchwise.deriving.rules import derive as derive
