"""Which part was matched with which, with paths on both sides, and what was missed or spurious."""

from matchwise.alignment.alignment import Alignment as Alignment
from matchwise.alignment.alignment import Part as Part
from matchwise.alignment.build import align as align
