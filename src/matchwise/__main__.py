"""`python -m matchwise`: the command line."""

from matchwise.cli import main

raise SystemExit(main())
