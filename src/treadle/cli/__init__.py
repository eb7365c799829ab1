"""The command `treadle`: what an agent's run looks like in a terminal, a pipe and a script."""
