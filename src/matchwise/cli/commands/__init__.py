"""One module per command, imported when the command is run: `run(args)` returns the exit code."""
