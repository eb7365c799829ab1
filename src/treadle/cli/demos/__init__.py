"""Promises of the library, each shown by real processes and sockets on this machine, without a key or a network.

A demo counts what its reader got and compares it with what the script says. It fails where they differ.

Source: docs/demos.md.
"""
