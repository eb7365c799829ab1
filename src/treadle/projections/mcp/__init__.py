"""An agent as a tool of MCP. Nothing is exported here: import the module you need."""
