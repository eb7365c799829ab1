"""Values as JSON: one stated form for each, the same in the log, for the model and on every wire."""
