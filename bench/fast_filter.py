"""A linear stream filter, the L4 floor: `<TAG>...</TAG>` blocks and bare `[tag]` markers are taken out.

Outside a block one `in` test per distinct first character on the chunk alone; where nothing is found the chunk is
given back, without a copy; a hit costs one regular expression of all openers and of their prefixes at the chunk's end.
Inside a block the body goes to a list; only the tail that could hold a split closing tag is looked at again, so that
an unterminated block of n characters costs O(n).
It shows the cost that can be reached and is no filter to use: white space and the operations in a block are left out.
"""

from __future__ import annotations

import re
from functools import lru_cache


@lru_cache
def _pattern(opens: tuple[str, ...]) -> re.Pattern[str]:
    def prefix(o: str) -> str:  # every proper prefix of o, longest first, as one nested group
        p = ""
        for ch in reversed(o[1:-1]):
            p = f"(?:{re.escape(ch)}{p})?"
        return re.escape(o[0]) + p + r"\Z"

    return re.compile("|".join([*map(re.escape, opens), *map(prefix, opens)]))


class TagFilter:
    """The filter of some opening tags with at most two first characters."""

    __slots__ = ("blocks", "body", "close", "closes", "feed", "firsts", "held", "opens", "rx", "tail")

    def __init__(self, opens: tuple[str, ...]):
        self.opens = frozenset(opens)
        self.closes = {o: "</" + o[1:] for o in opens if o[0] == "<"}
        self.firsts = tuple({o[0] for o in opens})
        self.rx = _pattern(opens)
        self.held = ""
        self.close: str | None = None
        self.tail = ""
        self.body: list[str] = []
        self.blocks: list[str] = []
        if len(self.firsts) == 1:
            # A closure beats a bound method: no attribute loads on the path that runs for every chunk.
            first = self.firsts[0]

            def feed(t: str) -> str:
                if self.held or self.close is not None or first in t:
                    return self._slow(t)
                return t
        else:
            a, b = self.firsts

            def feed(t: str) -> str:
                if self.held or self.close is not None or a in t or b in t:
                    return self._slow(t)
                return t

        self.feed = feed

    def _slow(self, t: str) -> str:
        out: list[str] = []
        while t:
            if self.close is not None:
                n = len(self.close)
                probe = self.tail + t
                i = probe.find(self.close)
                if i < 0:
                    self.body.append(t)
                    self.tail = probe[-(n - 1) :]
                    return "".join(out)
                self.body.append(t)
                rest = probe[i + n :]
                whole = "".join(self.body)
                self.blocks.append(whole[: len(whole) - len(rest) - n])
                self.body.clear()
                self.tail = ""
                self.close = None
                t = rest
                continue
            if self.held:
                t = self.held + t
                self.held = ""
            m = self.rx.search(t)  # a whole opening tag anywhere, or the beginning of one at the very end
            if m is None:
                if not out:
                    return t
                out.append(t)
                return "".join(out)
            i, hit = m.start(), m.group()
            out.append(t[:i])
            if hit not in self.opens:  # may still become a tag: hold from here
                self.held = hit
                return "".join(out)
            t = t[m.end() :]
            self.close = self.closes.get(hit)
        return "".join(out)

    def flush(self) -> str:
        """Let go of what is held."""
        r, self.held = self.held, ""
        return r
