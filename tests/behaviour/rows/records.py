"""The stored form of what a log holds."""

from __future__ import annotations

from tests.behaviour.requirement import Requirement

_PAGE = "docs/records.md"

ROWS: dict[str, Requirement] = {
    "REC-stretch": Requirement(
        source="docs/adr/0014-three-ports-of-a-store.md",
        says="A stretch is texts of one passage or call, or entries; seq counts its records, index its events.",
    ),
    "REC-run": Requirement(
        source="docs/adr/0014-three-ports-of-a-store.md", says="A run is live or final, and says so by its status."
    ),
    "REC-row": Requirement(
        source=_PAGE, says="A row is one stretch: speech as joined text and ends, entries as objects with a kind."
    ),
    "REC-size": Requirement(source=_PAGE, says="A compacted passage takes less than 20 bytes a delta beside its row."),
    "REC-exact": Requirement(
        source=_PAGE, says="What is stored comes back equal: integers, floats, text and read-only mappings are exact."
    ),
    "REC-total": Requirement(source=_PAGE, says="Every field of every class of event and fact is stored."),
    "REC-same-bytes": Requirement(source=_PAGE, says="The same stretch gives the same bytes."),
    "REC-damage": Requirement(
        source=_PAGE,
        says="What cannot be read is a RecordFormatError with its place, and tells nothing of the content.",
    ),
    "REC-version": Requirement(
        source=_PAGE, says="A row says its version; there is a step for each old one, and a newer one is refused."
    ),
    "REC-payload": Requirement(
        source=_PAGE,
        says="A turn's payload is stored by its adapter's dump and load; without them JSON terms alone are.",
    ),
    "REC-surrogates": Requirement(
        source=_PAGE, says="Halves of surrogate pairs are replaced where they stand when they are written."
    ),
    "REC-unstored": Requirement(source=_PAGE, says="An outcome's messages and tool outcomes are not stored."),
    "REC-digest": Requirement(
        source=_PAGE,
        says="Two starts are the same if agent, prompt, attachments, thread, properties and the history brought are.",
    ),
    "REC-compact": Requirement(source=_PAGE, says="A compaction changes no event and no index."),
    "REC-rebuild": Requirement(
        source=_PAGE, says="A machine rebuilt from stored rows stands where the one that wrote them did."
    ),
    "REC-golden": Requirement(source=_PAGE, says="Every form that was ever written has golden records, and is read."),
}
