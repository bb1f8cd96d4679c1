"""Types -> expressions, and expressions checked against types."""

from matchwise.derive.check import check as check
from matchwise.derive.hints import Hint as Hint
from matchwise.derive.hints import Var as Var
from matchwise.derive.hints import any_of as any_of
from matchwise.derive.hints import floor as floor
from matchwise.derive.hints import ignore as ignore
from matchwise.derive.hints import keyed as keyed
from matchwise.derive.hints import name as name
from matchwise.derive.hints import ordered as ordered
from matchwise.derive.hints import positional as positional
from matchwise.derive.hints import strict as strict
from matchwise.derive.hints import weight as weight
from matchwise.derive.registry import register as register
from matchwise.derive.registry import registered as registered
from matchwise.derive.rules import derive as derive
