"""Where tools come from, one adapter a package."""
