"""The public names and signatures, against the stored snapshot."""

from __future__ import annotations

import inspect
from dataclasses import dataclass

from scripts.public_api import PUBLIC_MODULES, SNAPSHOT, lines_of, public_api
from tests.repo.rules.tree import ROOT


def test_the_public_surface_is_what_was_reviewed() -> None:
    """Ours: a public name comes, goes or changes on purpose: `make api`, read the diff, write a fragment."""
    assert public_api() == SNAPSHOT.read_text(encoding="utf-8")


def test_the_docs_name_every_public_module() -> None:
    """Ours: what is promised is told to those it is promised to."""
    page = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    assert [name for name in PUBLIC_MODULES if f"`{name}`" not in page] == []


@dataclass(frozen=True, slots=True, kw_only=True)
class _Point:
    """A value with a default and a method."""

    x: int
    y: int = 0

    def moved(self, by: int, *, twice: bool = False) -> _Point:
        """Move it."""
        return _Point(x=self.x + by * (1 + twice), y=self.y)


def test_a_value_is_listed_with_fields_defaults_and_methods() -> None:
    """Ours: what a caller may write is what is compared."""
    assert list(lines_of("m.Point", _Point)) == [
        "class m.Point",
        "    x: int",
        "    y: int = 0",
        "    def moved(self, by: int, *, twice: bool = False) -> _Point",
    ]


def test_a_changed_signature_changes_the_listing() -> None:
    """Ours: the snapshot notices a parameter that is renamed, made optional or given another type."""

    def before(a: int) -> str: ...

    def renamed(b: int) -> str: ...

    def optional(a: int = 0) -> str: ...

    def retyped(a: float) -> str: ...

    listed = {next(lines_of("m.f", function)) for function in (before, renamed, optional, retyped)}
    assert len(listed) == 4
    assert inspect.isfunction(before)
