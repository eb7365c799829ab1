"""The mounts of protocols: one module or a few for each, none of which knows another's."""
