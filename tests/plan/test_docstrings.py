"""Docstrings to what a model is told."""

from treadle.plan.docstrings import Documentation, read_docstring


def test_the_first_paragraph_is_the_description_and_the_args_section_the_parameters() -> None:
    """A model is told what a reader of the function is told (ours, Google style)."""
    assert read_docstring(
        """Find a book
        by its title.

        The index is rebuilt at night.

        Args:
            title (str): The title, or a part
                of it.

            limit: How many: at most 10.
            *rest: Ignored.

        Returns:
            book: The book.
        """
    ) == Documentation(
        description="Find a book by its title.",
        parameters={"title": "The title, or a part of it.", "limit": "How many: at most 10.", "rest": "Ignored."},
    )


def test_a_docstring_that_only_lists_arguments_has_no_description() -> None:
    """A heading is no description (ours)."""
    assert read_docstring("Args:\n    a: first\n") == Documentation(parameters={"a": "first"})


def test_a_line_before_the_first_entry_of_a_section_is_nobodys() -> None:
    """What belongs to no parameter is left out (ours)."""
    assert read_docstring("Do.\n\nArgs:\n    see below\n    a: first\n").parameters == {"a": "first"}


def test_no_docstring_says_nothing() -> None:
    """A tool may have no docstring (ours)."""
    assert read_docstring(None) == read_docstring("") == Documentation()
