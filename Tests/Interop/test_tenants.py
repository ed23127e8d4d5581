"""Clients of different Identity Platform tenants with `directory: firebase`.

The tenants are those of Google's stand-in; firebase-admin reads and changes their users.
"""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
from collections.abc import Iterator
from typing import Any
from unittest import mock

import pytest
from firebase_admin import auth

from conftest import Settle
from deployment.account_application import AccountApplication
from deployment.expectations import challenged, refused, signed_in
from deployment.firebase import Firebase
from peers.authenticator import Authenticator

YAHOO, X = "yahoo.com", "twitter.com"
TENANTS = ("tenant-1", "tenant-2")


class Tenant(AccountApplication):
    """A client, and the users of its tenant in firebase-admin."""

    users: auth.Client

    def uid(self, provider: str, user: str = "alice") -> str:
        return signed_in(self.try_to_enter(provider, user))["uid"]

    def bearer(self, uid: str) -> str:
        return self.firebase.token_for(uid, tenant_id=self.users.tenant_id)

    def show(self, bearer: str) -> Any:
        header = {"Authorization": f"Bearer {bearer}"}
        return self.send("GET", f"/v1/account?client_id={self.client_id}", **header)


@pytest.fixture
def tenants(settle: Settle, firebase: Firebase) -> Iterator[list[Tenant]]:
    people = settle()
    people.deployment.terminate()
    settings = people.deployment.settings
    settings["firebase"]["directory"] = "firebase"
    template = settings["clients"]["my-app"]
    for name in TENANTS:
        settings["clients"][name] = template | {"tenant_id": name}
    people.deployment.configure(settings)
    people.sandbox.order("PUT", "/google/tenants", tenants=list(TENANTS))
    people.deployment.start()
    made = []
    with mock.patch.dict(os.environ, FIREBASE_AUTH_EMULATOR_HOST=people.sandbox.google.removeprefix("http://")):
        for name in TENANTS:
            tenant = Tenant(people.deployment, firebase, people.sandbox, name)
            tenant.users = auth.Client(firebase.app, tenant_id=name)
            made.append(tenant)
    yield made
    people.sandbox.order("PUT", "/google/tenants", tenants=["tenant-1"])


def _identities(tenant: Tenant, uid: str) -> dict[str, str]:
    return {info.provider_id: info.uid for info in tenant.users.get_user(uid).provider_data}


def test_one_person_has_an_account_in_each_tenant(tenants: list[Tenant], firebase: Firebase) -> None:
    one, two = tenants
    uid, other = one.uid(X), two.uid(X)
    assert _identities(one, uid).keys() == _identities(two, other).keys() == {X}
    assert not firebase.has(uid)
    linked = one.link(one.bearer(uid), YAHOO, one.token_of(YAHOO))
    assert linked.status == 200, linked
    assert _identities(one, uid).keys() == {X, YAHOO}
    assert _identities(two, other).keys() == {X}
    for tenant, stranger in ((one, two), (two, one)):
        refused(tenant.show(stranger.bearer(uid)), 401, "id_token_invalid")
    two.users.delete_user(other)
    refused(two.show(two.bearer(other)), 401, "account_gone")
    assert one.uid(YAHOO) == one.uid(X) == uid


def test_the_operator_names_the_tenant(tenants: list[Tenant]) -> None:
    one, two = tenants
    uid, other = one.uid(X), two.uid(X)
    run = one.deployment.run
    missing = run("accounts", "list")
    assert missing.returncode == 64
    assert "name one with --tenant: -, tenant-1, tenant-2" in missing.stderr
    unknown = run("accounts", "list", "--tenant", "tenant-3")
    assert unknown.returncode == 64
    assert "is not a tenant of a client" in unknown.stderr
    listed = run("accounts", "list", "--json", "--tenant", "tenant-1")
    assert [json.loads(line)["uid"] for line in listed.stdout.splitlines()] == [uid], listed.stderr
    disabled = run("accounts", "disable", uid, "--tenant", "tenant-1")
    assert disabled.returncode == 0, disabled.stderr
    assert one.users.get_user(uid).disabled
    assert not two.users.get_user(other).disabled
    deleted = run("accounts", "delete", other, "--yes", "--tenant", "tenant-2", "--json")
    assert json.loads(deleted.stdout) == {"deleted": other, "firebase_user": "deleted"}, deleted.stderr
    assert one.users.get_user(uid).uid == uid
    assert not run("accounts", "list", "--tenant", "-").stdout


def test_each_tenant_is_swept(tenants: list[Tenant]) -> None:
    deployment = tenants[0].deployment
    deployment.terminate()
    deployment.settings["accounts"] = {"anonymous_retention": "1h"}
    for name in TENANTS:
        deployment.settings["clients"][name]["anonymous"] = True
    deployment.configure(deployment.settings)
    deployment.start()
    guests = []
    for tenant in tenants:
        body = signed_in(tenant.post("/v1/anonymous", {"client_id": tenant.client_id}))
        tenant.firebase.change(body["uid"], tenant_id=tenant.client_id)
        guests.append(body["uid"])
    deployment.terminate()
    # The server's clock cannot be changed from outside.
    database = sqlite3.connect(deployment.settings["store"].removeprefix("sqlite://"))
    with database:
        database.execute("UPDATE accounts SET delete_after = delete_after - 3601")
    database.close()
    result = deployment.run("accounts", "sweep", "--json")
    assert json.loads(result.stdout)["removed"] == 2, result.stderr
    for tenant, uid in zip(tenants, guests, strict=True):
        with pytest.raises(auth.UserNotFoundError):
            tenant.users.get_user(uid)


def _factor(tenant: Tenant, uid: str) -> tuple[str, list[str]]:
    """Adds a second factor to an account, and returns its id and the recovery codes."""
    bearer = tenant.bearer(uid)
    begun = tenant.begin_factor(bearer)
    code = Authenticator(begun["otpauth_uri"]).next_code()
    codes = tenant.confirm_factor(bearer, begun["factor_id"], code)["recovery_codes"]
    tenant.deployment.secrets.add(*codes)
    return begun["factor_id"], codes


def test_the_second_factor_belongs_to_the_account_of_one_tenant(tenants: list[Tenant]) -> None:
    one, two = tenants
    uid = one.uid(X)
    factor, recovery = _factor(one, uid)
    two.uid(X)
    handle = challenged(one.try_to_enter(X))
    refused(two.prove_factor(handle, recovery_code=recovery[0]), 400, "code_rejected")
    command = ["accounts", "factors", uid, "--json", "--tenant"]
    shown = json.loads(one.deployment.run(*command, "tenant-1").stdout)
    assert (shown["tenant"], [factor["factor_id"] for factor in shown["factors"]]) == (
        "tenant-1",
        [factor],
    )
    elsewhere = one.deployment.run(*command, "tenant-2")
    assert elsewhere.returncode == 1 or not json.loads(elsewhere.stdout)["factors"]
    assert signed_in(one.prove_factor(handle, recovery_code=recovery[0]))["uid"] == uid
    assert one.deployment.run(*command, "tenant-1", "--remove-all").returncode == 0
    assert one.uid(X) == uid

    _factor(one, uid)
    assert one.deployment.run("accounts", "delete", uid, "--yes", "--tenant", "tenant-1").returncode == 0
    database = sqlite3.connect(one.deployment.settings["store"].removeprefix("sqlite://"))
    with contextlib.closing(database):
        for table in ("factors", "recovery_codes"):
            assert database.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,), table
