"""A wire at a path."""

from __future__ import annotations

import pytest

from treadle.errors import PlanError
from treadle.server.mounting import Mount


def test_a_mount_is_at_its_name_where_nothing_is_said() -> None:
    """Ours."""
    assert Mount(wire="agui").path == "/agui"
    assert Mount(wire="agui", path="/front/end").path == "/front/end"


@pytest.mark.parametrize("path", ["agui", "/", "/agui/", "//a", "/{agent}", "/a b", "/a?b"])
def test_a_path_that_is_none_is_refused(path: str) -> None:
    """Ours: expected, came, how to mend."""
    with pytest.raises(PlanError, match="as in '/agui'"):
        Mount(wire="agui", path=path)
