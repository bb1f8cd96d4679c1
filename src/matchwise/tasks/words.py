"""`parse` for expressions that also name what tasks have: their steps (`constituency.evalb()`) and functions."""

from matchwise.similarities.vocabulary import parse as parse
