"""Which part was matched with which, with paths on both sides, and what was missed or spurious."""

from matchwise.align.alignment import Alignment as Alignment
from matchwise.align.alignment import Part as Part
from matchwise.align.build import align as align
