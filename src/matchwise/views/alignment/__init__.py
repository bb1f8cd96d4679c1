"""Which part was matched with which, with paths on both sides, and what was missed or spurious."""

from matchwise.views.alignment.alignment import Alignment as Alignment
from matchwise.views.alignment.alignment import Part as Part
from matchwise.views.alignment.build import align as align
