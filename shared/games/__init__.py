"""The games: one folder each, pure. worker/catalog.py lists them; gateways import their words alone."""
