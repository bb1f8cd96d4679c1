"""How far several annotators of the same documents agree: pairwise scores, α, κ and γ."""
