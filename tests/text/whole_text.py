"""What the filters must give, read from the whole text at once: the reference for every way of cutting it.

Written by other means than the filters: one string, in which a mark stands for what is no character of the text.
A private-use character is a mark: a seam, the end of a passage, or one that stands for thinking or an extraction.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from treadle.text.operations import read_operations
from treadle.text.pieces import Extraction
from treadle.text.redaction import DEFAULT_PATTERNS, REPLACEMENT

SEAM = "\ue000"
PASSAGE = "\ue001"
THOUGHT = 0xE100
EXTRACT = 0xE800
_MARK = re.compile("[\ue000-\uefff]")
_QUIET = re.compile("[\ue000\ue800-\uefff]")  # marks that end no passage

Pieces = list[tuple[str, object]]


@dataclass
class Whole:
    """One turn's text on its way through the filters."""

    text: str
    thoughts: list[str] = field(default_factory=list)
    extractions: list[Extraction] = field(default_factory=list)

    def pieces(self) -> Pieces:
        """Say it in pieces, neighbours of one kind joined."""
        found: Pieces = []
        for part in re.split("([\ue000-\uefff])", self.text):
            if not part or part in (SEAM, PASSAGE):
                continue
            if ord(part[0]) in range(EXTRACT, 0xF000):
                found.append(("extracted", self.extractions[ord(part) - EXTRACT]))
                continue
            thought = ord(part[0]) in range(THOUGHT, EXTRACT)
            kind, said = ("thinking", self.thoughts[ord(part) - THOUGHT]) if thought else ("text", part)
            if found and found[-1][0] == kind:
                said = str(found.pop()[1]) + said
            found.append((kind, said))
        return found

    def mark_thought(self, said: str) -> str:
        self.thoughts.append(said)
        return chr(THOUGHT + len(self.thoughts) - 1)

    def mark_extraction(self, extraction: Extraction) -> str:
        self.extractions.append(extraction)
        return chr(EXTRACT + len(self.extractions) - 1)


def _line(out: str) -> str:
    """What stands on the last line of what was shown."""
    return re.split("[\r\n\ue001\ue100-\ue7ff]", _QUIET.sub("", out))[-1]


def pairs(whole: Whole) -> None:
    """Join halves of pairs, replace those that stand alone."""
    joined = re.sub("[\ud800-\udbff][\udc00-\udfff]", lambda m: chr(_code(m.group())), whole.text)
    whole.text = re.sub("[\ud800-\udfff]", "\ufffd", joined)


def _code(pair: str) -> int:
    return 0x10000 + ((ord(pair[0]) - 0xD800) << 10) + ord(pair[1]) - 0xDC00


def think(whole: Whole, *, starts_in_thinking: bool = False) -> None:
    """Make marks of what stands between think tags."""
    out, said, depth = "", "", int(starts_in_thinking)
    began_line, breaks, presumed = True, starts_in_thinking, starts_in_thinking
    for part in re.split("(</?think>|[\ue000-\uefff])", whole.text):
        opens = part == "<think>"
        if _MARK.fullmatch(part):
            out, said = out + (whole.mark_thought(said) if said else "") + part, ""
            breaks, presumed = False, False
        elif opens and presumed and not said:
            presumed, breaks = False, True
        elif opens and depth:
            depth, breaks = depth + 1, False
        elif opens:
            began_line, depth, breaks = not _line(out).strip(" \t"), 1, True
            out += SEAM
        elif part == "</think>" and depth > 1:
            depth, breaks = depth - 1, False
        elif part == "</think>":
            breaks = began_line if depth else not _line(out).strip(" \t")
            out, said, depth, presumed = out + (whole.mark_thought(said) if said else "") + SEAM, "", 0, False
        elif part:
            kept = part.lstrip("\r\n") if breaks else part
            breaks, presumed = breaks and not kept, presumed and not kept
            out, said = (out, said + kept) if depth else (out + kept, said)
    whole.text = out + (whole.mark_thought(said) if said else "")


def block(whole: Whole, *, tags: Sequence[str] = ("MEMORY_EXTRACT", "GRAPH_OPERATIONS"), limit: int = 65_536) -> None:
    """Make marks of blocks."""
    names = "|".join(tags)
    text, out = whole.text, ""
    while found := re.search(f"<(/?)({names})>", text):
        out += text[: found.start()] + SEAM
        text = text[found.end() :]
        if found[1]:
            continue
        alone, tag = not _line(out), found[2]
        while tag:
            inside, text, diagnostic = _content(text, tag, limit)
            out += "".join(re.findall("[\ue001-\ue7ff]", inside))
            content = _MARK.sub("", inside)
            read = Extraction(tag=tag, diagnostic=diagnostic) if diagnostic else read_operations(tag, content)
            out += whole.mark_extraction(read)
            past = diagnostic == "too_large" and re.search(f"</{tag}>|<({names})>", text)
            if past:
                out += "".join(re.findall("[\ue001-\ue7ff]", text[: past.start()]))
                text = text[past.end() :]
            elif diagnostic == "too_large":
                out += "".join(re.findall("[\ue001-\ue7ff]", text))
                text = ""
            tag = (past and past[1]) or ""
        if alone and diagnostic != "unterminated":
            text = re.sub("\\A(\r\n|\r|\n)", "", text)
    whole.text = out + text


def _content(text: str, tag: str, limit: int) -> tuple[str, str, str | None]:
    """The content of a block, what follows it, and what is wrong with it as far as its end tells."""
    closer = f"</{tag}>"
    ends = [at for at in _places(closer, text) if len(_MARK.sub("", text[:at])) <= limit]
    if not ends:
        length = len(_MARK.sub("", text))
        if length < limit + len(closer):
            return text, "", "unterminated"
        at, seen = (
            next(n for n in range(len(text) + 1) if len(_MARK.sub("", text[:n])) == size)
            for size in (limit, limit + len(closer))
        )
        # Where the bound is passed is known a closing tag later; what stands between is joined.
        return (
            text[:at] + "".join(_MARK.findall(text[at:seen])),
            _MARK.sub("", text[at:seen]) + text[seen:],
            "too_large",
        )
    end = ends[0]
    for later in ends:
        between, content = text[ends[0] : later], _MARK.sub("", text[:later])
        inside, outside = json_beginning(content)
        if _MARK.search(between) or not (inside or outside):
            break
        if outside:
            end = later
            break
    return text[:end], text[end + len(closer) :], None


def _places(word: str, text: str) -> list[int]:
    return [found.start() for found in re.finditer(re.escape(word), text)]


def json_beginning(content: str) -> tuple[bool, bool]:
    """Whether content may be the beginning of JSON that ends inside a string, and whether outside one.

    By trying to complete it, and folding whole values away until one is left.
    """
    content = re.sub(r"\A\s*```[A-Za-z]*", "", content)
    folded = re.sub(r'"(?:[^"\\\x00-\x1f]|\\["\\/bfnrtu])*"', "S", re.sub("[SV]", "?", content))
    opened = re.fullmatch(r'([^"]*)"(?:[^"\\\x00-\x1f]|\\["\\/bfnrtu])*\\?', folded)
    if opened:
        return any(_is_json(opened[1] + "S" + more) for more in ("", ":0")), False
    unfenced = re.sub(r"[`\s]*\Z", "", folded)
    whole = _is_json(unfenced, complete=True)
    return False, whole or any(_is_json(folded + more) for more in ("", "0", ":0", "S:0"))


def _is_json(text: str, *, complete: bool = False) -> bool:
    open_ones = list(re.sub(r"[^\[{\]}]", "", text))
    while pair := re.search(r"\[\]|\{\}", "".join(open_ones)):
        del open_ones[pair.start() : pair.end()]
    if complete and open_ones:
        return False
    text += "".join("]" if character == "[" else "}" for character in reversed(open_ones))
    text = re.sub(r"(?<![-+.0-9Eaeflnrstu])[-+.0-9Eaeflnrstu]+", "V", text)
    text, before = re.sub(r"[ \t\r\n]+", " ", text), ""
    value = " ?[VS] ?"
    while text != before:
        before = text
        text = re.sub(rf"\[ ?({value}(,{value})*)? ?\]", "V", text)
        text = re.sub(rf"\{{ ?( ?S ?:{value}(, ?S ?:{value})*)? ?\}}", "V", text)
    return bool(re.fullmatch(value, text))


def citation(whole: Whole) -> None:
    """Take citations out."""
    text, out, at = whole.text, "", 0
    names = "semantic|episodic|procedural|working|prospective"
    for found in re.finditer(rf"(?ai)\[({names})\](?!\()", text):
        start = found.start()
        before = text[start - 1] if start > at else ""
        cased = before.lower() != before.upper()
        if before and (cased or before.isdigit() or before in "_)]}[\\"):
            continue
        out, shown = out + text[at:start], start > at
        at = found.end()
        if not _line(out).strip(" \t"):
            at += text[at : at + 1] in (" ", "\t")
        elif shown and before in (" ", "\t"):
            out = out[:-1]
        out += SEAM
    whole.text = out + text[at:]


def redact(whole: Whole) -> None:
    """Replace secrets in text and thinking; marks of extractions go to the end."""
    parts = re.split("([\ue001\ue100-\ue7ff]+)", _QUIET.sub("", whole.text))
    said = "".join(part if _MARK.match(part) else redacted(part) for part in parts)
    whole.text = said + "".join(re.findall("[\ue800-\uefff]", whole.text))
    whole.thoughts = [redacted(thought) for thought in whole.thoughts]


def redacted(text: str) -> str:
    """Look at each place for each pattern, the way one would by hand."""
    out, at = "", 0
    while at < len(text):
        start, end = _secret(text, at)
        out += text[at:start] + (REPLACEMENT if end > start else text[start : start + 1])
        at = max(end, start + 1)
    return out


def _secret(text: str, at: int) -> tuple[int, int]:
    """Where the secret that is found at a place begins and ends; an empty stretch where there is none."""
    before = text[at - 1 : at] if at else ""
    for pattern in DEFAULT_PATTERNS:
        lead = text[at : at + len(pattern.lead)]
        if not pattern.lead or (before.isascii() and before.isalnum()):
            continue
        if lead == pattern.lead or (pattern.any_case and lead.lower() == pattern.lead.lower()):
            end, count = at + len(lead), 0
            while end < len(text):
                step = 2 if text[end] in pattern.joiners and count else 1
                if text[end + step - 1 : end + step] not in tuple(pattern.chars):
                    break
                end, count = end + step, count + 1
            if count >= pattern.length:
                return at, end
    (email,) = (pattern for pattern in DEFAULT_PATTERNS if not pattern.lead)
    signs = email.chars + "@"
    word = text[at : len(text) - len(text[at:].lstrip(signs))]
    if not word or (before and before in signs) or len(word) > 320:
        return at, at
    core = re.search(r"[A-Za-z0-9].*[A-Za-z0-9]", word)
    good = core and re.fullmatch(r".+@([^.@]+\.)+[A-Za-z]{2,}", core.group()) and len(core.group()) >= email.length
    return (at + core.start(), at + core.end()) if core and good else (at, at)
