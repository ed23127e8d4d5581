"""Runs a command with a new PostgreSQL: `{}` in its arguments is replaced by the URI of an empty database."""

from __future__ import annotations

import subprocess
import sys

from deployment.postgres import Postgres


def main(words: list[str]) -> int:
    postgres = Postgres().start()
    try:
        uri = postgres.database()
        return subprocess.run([uri if word == "{}" else word for word in words], check=False).returncode
    finally:
        postgres.close()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
