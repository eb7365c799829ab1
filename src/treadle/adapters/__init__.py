"""What speaks with the outside: models, toolboxes, stores. Each is the only code that knows both vocabularies."""
