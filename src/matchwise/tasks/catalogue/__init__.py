"""One light module per task: what it is called and what it offers. Importing it imports none of the task's code."""
