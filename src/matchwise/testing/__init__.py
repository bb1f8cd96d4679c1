"""Laws for people who write similarities: `check_laws` tries them on objects, `strategies` draws the objects.

>>> import matchwise as mw
>>> check_laws(mw.f1("mentions"), [{"mentions": ["ab", "cd"]}, {"mentions": []}])[:3]
('range', 'bounded', 'symmetric')
"""

from matchwise.testing.check import check_laws as check_laws
from matchwise.testing.laws import LawError as LawError
