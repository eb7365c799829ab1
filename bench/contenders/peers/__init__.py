"""Other runtimes, each in an environment of its own, and a prototype of ours."""
