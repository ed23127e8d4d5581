"""The running binary: its configuration, its process, and the application that talks to it."""
