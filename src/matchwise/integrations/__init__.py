"""Where other people's loops call matchwise: training, rewards, eval frameworks. Each module imports its framework."""
