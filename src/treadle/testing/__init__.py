"""What tests of agents need: scripts, fakes and checks. Part of the product, for its users as for its own tests."""
