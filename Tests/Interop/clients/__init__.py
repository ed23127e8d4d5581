"""Programs that sign in with a client library, and what the tests of client libraries share."""
