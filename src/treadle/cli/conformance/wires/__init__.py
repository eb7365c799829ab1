"""The wires and their clients, one module a wire."""
