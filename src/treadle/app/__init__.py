"""Where the parts are put together: what a user touches."""
