"""Where a corpus runs: in one process or several (`runner`, `pool`), or on Spark or Ray (`tables`)."""
