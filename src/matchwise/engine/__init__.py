"""How it is computed: the reference runs the equations as written, a plan runs them fast, and both agree."""
