"""Requests that this server makes of addresses which clients gave it: guarded, signed, repeated, bounded."""
