-- A store that `serve` wrote before it had second factors (migration 0009): an account that was imported, and an anonymous one.
BEGIN TRANSACTION;
CREATE TABLE accounts (
    uid BLOB NOT NULL PRIMARY KEY CHECK (length(uid) > 0),
    created_at INTEGER NOT NULL
, anonymous INTEGER NOT NULL DEFAULT 0 CHECK (anonymous IN (0, 1)), delete_after INTEGER, adopted INTEGER NOT NULL DEFAULT 0 CHECK (adopted IN (0, 1)), other_way_in INTEGER NOT NULL DEFAULT 0 CHECK (other_way_in IN (0, 1)), disabled INTEGER NOT NULL DEFAULT 0 CHECK (disabled IN (0, 1)), email BLOB, ways_in BLOB) STRICT, WITHOUT ROWID;
INSERT INTO "accounts" VALUES(X'616E6F6E796D6F75733A4951467262434E6B396A47696B644F32637472673675523656524F75',1735732803,1,NULL,0,0,0,NULL,NULL);
INSERT INTO "accounts" VALUES(X'747769747465723A32323434393934393435',1600000000,0,NULL,1,0,0,X'616E6E406578616D706C652E6F7267',NULL);
CREATE TABLE audit (
    id TEXT NOT NULL PRIMARY KEY,
    at INTEGER NOT NULL,
    uid BLOB,
    line BLOB NOT NULL
) STRICT;
CREATE TABLE device_grants (
    digest BLOB NOT NULL PRIMARY KEY CHECK (length(digest) = 32),
    user_code_digest BLOB NOT NULL UNIQUE CHECK (length(user_code_digest) = 32),
    client BLOB NOT NULL,
    provider BLOB,
    scope TEXT NOT NULL,
    state TEXT NOT NULL
        CHECK (state IN ('pending', 'claimed', 'verified', 'approved', 'denied')),
    owner BLOB CHECK (length(owner) = 32),
    payload TEXT,
    payload_digest BLOB CHECK (length(payload_digest) = 32),
    interval INTEGER NOT NULL,
    polled_at INTEGER,
    expires_at INTEGER NOT NULL
) STRICT;
CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
INSERT INTO "grdb_migrations" VALUES('0001 spent credentials, accounts');
INSERT INTO "grdb_migrations" VALUES('0002 handoffs, device grants');
INSERT INTO "grdb_migrations" VALUES('0003 linked accounts');
INSERT INTO "grdb_migrations" VALUES('0004 audit');
INSERT INTO "grdb_migrations" VALUES('0005 sweeps');
INSERT INTO "grdb_migrations" VALUES('0006 spent in order');
INSERT INTO "grdb_migrations" VALUES('0007 watch');
INSERT INTO "grdb_migrations" VALUES('0008 pending credentials');
INSERT INTO "grdb_migrations" VALUES('0009 ways in');
CREATE TABLE handoffs (
    digest BLOB NOT NULL PRIMARY KEY CHECK (length(digest) = 32),
    client BLOB NOT NULL,
    redirect_uri BLOB NOT NULL,
    code_challenge BLOB NOT NULL,
    payload TEXT NOT NULL,
    failures INTEGER NOT NULL DEFAULT 0,
    expires_at INTEGER NOT NULL
) STRICT;
CREATE TABLE heartbeat (
    id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    beats INTEGER NOT NULL
) STRICT;
INSERT INTO "heartbeat" VALUES(1,0);
CREATE TABLE identities (
    provider BLOB NOT NULL CHECK (length(provider) > 0),
    subject BLOB NOT NULL CHECK (length(subject) > 0),
    uid BLOB NOT NULL REFERENCES accounts (uid), email BLOB, name BLOB, picture BLOB, linked_at INTEGER, last_used_at INTEGER,
    PRIMARY KEY (provider, subject),
    UNIQUE (uid, provider)
) STRICT, WITHOUT ROWID;
INSERT INTO "identities" VALUES(X'747769747465722E636F6D',X'32323434393934393435',X'747769747465723A32323434393934393435',X'616E6E406578616D706C652E6F7267',X'416E6E',NULL,1600000000,1600000000);
CREATE TABLE left_at_firebase (
    uid BLOB NOT NULL PRIMARY KEY CHECK (length(uid) > 0)
) STRICT, WITHOUT ROWID;
CREATE TABLE pending_credentials (
    digest BLOB NOT NULL PRIMARY KEY CHECK (length(digest) = 32),
    client BLOB NOT NULL,
    provider BLOB NOT NULL,
    uses BLOB NOT NULL,
    uids BLOB NOT NULL,
    holder BLOB,
    payload BLOB NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT;
CREATE TABLE retired_uids (
    uid BLOB NOT NULL PRIMARY KEY,
    at INTEGER NOT NULL
, merged_into BLOB) STRICT, WITHOUT ROWID;
CREATE TABLE "spent" (
    id INTEGER NOT NULL PRIMARY KEY,
    kind TEXT NOT NULL,
    digest BLOB NOT NULL CHECK (length(digest) = 32),
    expires_at INTEGER NOT NULL,
    UNIQUE (kind, digest)
) STRICT;
CREATE TABLE swept (
    id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    through INTEGER NOT NULL
) STRICT;
INSERT INTO "swept" VALUES(1,1735729200);
CREATE TABLE unwatched (
    until INTEGER NOT NULL PRIMARY KEY,
    since INTEGER NOT NULL
) STRICT;
INSERT INTO "unwatched" VALUES(1735732801,-9223372036854775808);
CREATE TABLE watch (
    id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    until INTEGER NOT NULL
) STRICT;
INSERT INTO "watch" VALUES(1,1735732803);
CREATE INDEX handoffs_by_expiry ON handoffs (expires_at);
CREATE INDEX device_grants_by_expiry ON device_grants (expires_at);
CREATE INDEX accounts_by_email ON accounts (email) WHERE email IS NOT NULL;
CREATE INDEX accounts_by_end ON accounts (delete_after) WHERE delete_after IS NOT NULL;
CREATE INDEX audit_by_time ON audit (at);
CREATE INDEX audit_by_uid ON audit (uid, at) WHERE uid IS NOT NULL;
CREATE INDEX spent_by_expiry ON spent (expires_at);
CREATE INDEX pending_credentials_by_expiry ON pending_credentials (expires_at);
COMMIT;
