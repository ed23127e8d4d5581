"""Which ID tokens were used. `spend` returns whether this is the first use, and only when that is as durable as promised."""

import fcntl
import os
import sqlite3
import time

import gevent
from gevent.event import AsyncResult


class InMemory:
    """A set for each worker: a token that was used at one worker is unknown to the others."""

    def __init__(self):
        self.digests: set[bytes] = set()

    def spend(self, digest: bytes, expiry: int) -> bool:
        if digest in self.digests:
            return False
        self.digests.add(digest)
        # Otherwise a connection that always has another request would be served before all others.
        gevent.sleep(0)
        return True


class InSQLite:
    """One database for all workers, in WAL mode with a sync for each transaction.

    A worker combines the tokens of all requests that are verified before its greenlet runs in one transaction.
    """

    def __init__(self, path: str):
        # SQLite waits for another process's transaction by sleeping for milliseconds; a file lock wakes immediately.
        self.lock = os.open(path + "-turn", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        self.waiting: list[tuple[bytes, int, AsyncResult]] = []
        fcntl.flock(self.lock, fcntl.LOCK_EX)
        self.database = sqlite3.connect(path, isolation_level=None, timeout=30, check_same_thread=False)
        self.database.execute("PRAGMA journal_mode = WAL")
        self.database.execute("PRAGMA synchronous = FULL")
        self.database.execute(
            "CREATE TABLE IF NOT EXISTS used (digest BLOB PRIMARY KEY, expiry INTEGER NOT NULL) WITHOUT ROWID, STRICT"
        )
        self.database.execute("DELETE FROM used WHERE expiry < ?", (int(time.time()) - 120,))
        fcntl.flock(self.lock, fcntl.LOCK_UN)

    def spend(self, digest: bytes, expiry: int) -> bool:
        result = AsyncResult()
        self.waiting.append((digest, expiry, result))
        if len(self.waiting) == 1:
            gevent.spawn(self.commit)
        return result.get()

    def commit(self) -> None:
        group, self.waiting = self.waiting, []
        try:
            spent = self.transaction(group)
        except BaseException as error:
            for _, _, result in group:
                result.set_exception(error)
            return
        for (_, _, result), is_first in zip(group, spent):
            result.set(is_first)

    def transaction(self, group) -> list[bool]:
        execute = self.database.execute
        fcntl.flock(self.lock, fcntl.LOCK_EX)
        try:
            execute("BEGIN IMMEDIATE")
            try:
                spent = [
                    execute("INSERT OR IGNORE INTO used VALUES (?, ?)", (digest, expiry)).rowcount == 1
                    for digest, expiry, _ in group
                ]
            except BaseException:
                execute("ROLLBACK")
                raise
            execute("COMMIT")
            return spent
        finally:
            fcntl.flock(self.lock, fcntl.LOCK_UN)


def in_memory() -> InMemory:
    return InMemory()


def in_sqlite(path: str) -> InSQLite:
    return InSQLite(path)
