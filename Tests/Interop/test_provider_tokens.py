"""Fresh tokens of a provider, and the provider's own answer about the user.

The stand-ins' behaviour: refresh tokens, and to whom they belong. Our code: the applications, and the users.
"""

from __future__ import annotations

import pytest
import requests

from conftest import Settle
from deployment.account_application import AccountApplication
from deployment.application import Answer
from deployment.expectations import refused, signed_in

YAHOO, X = "yahoo.com", "twitter.com"
ALICE = "ALICEWJNWVNQD4GXZ5NGMZUST4"


@pytest.fixture
def app(settle: Settle) -> AccountApplication:
    return settle(firebase={"directory": "local"})


def _signed_in(app: AccountApplication, user: str = "alice") -> Answer:
    """Signs a user in by Yahoo's redirect, which brings a refresh token."""
    answer = app.exchange(YAHOO, app.prove(YAHOO, user))
    app.deployment.secrets.add(signed_in(answer)["oauth"]["refresh_token"])
    return answer


def test_a_refresh_token_of_the_user_brings_fresh_tokens(app: AccountApplication) -> None:
    answer = _signed_in(app)
    bearer = app.entered(answer).session.id_token
    fresh = app.refresh(bearer, YAHOO, answer["oauth"]["refresh_token"])
    assert fresh.status == 200, fresh
    assert set(fresh.body) == {"oauth"}
    access_token = fresh["oauth"]["access_token"]
    assert access_token != answer["oauth"]["access_token"]
    userinfo = requests.get(
        f"{app.sandbox.yahoo}/openid/v1/userinfo", headers={"Authorization": f"Bearer {access_token}"}, timeout=10
    )
    assert userinfo.json()["sub"] == ALICE


def test_a_refresh_token_of_another_user_is_refused_and_revoked(app: AccountApplication) -> None:
    bearer = app.entered(_signed_in(app)).session.id_token
    mallory = _signed_in(app, "mallory")
    stolen = mallory["oauth"]["refresh_token"]
    refused(app.refresh(bearer, YAHOO, stolen), 403, "user_mismatch")
    refused(app.refresh(app.entered(mallory).session.id_token, YAHOO, stolen), 400, "token_rejected")


def test_what_is_not_the_users_reaches_no_provider(app: AccountApplication) -> None:
    bearer = app.entered(_signed_in(app)).session.id_token
    refused(app.refresh(bearer, YAHOO, "invented"), 400, "token_rejected")
    refused(app.refresh(bearer, X, "invented"), 409, "no_such_provider")
    refused(app.refresh("a.b.c", YAHOO, "invented"), 401, "id_token_invalid")


def test_only_a_client_that_may_have_tokens_and_profiles_gets_them(settle: Settle) -> None:
    client = {"name": "Website", "provider_redirect_uris": ["com.example.app:/yahoo"], "return_provider_profile": True}
    app = settle("website", firebase={"directory": "local"}, clients={"website": client})
    answer = app.exchange(YAHOO, app.prove(YAHOO))
    assert "oauth" not in signed_in(answer)
    profile = answer["provider_profile"]
    assert profile["userinfo"]["sub"] == profile["id_token"]["sub"] == ALICE
    assert "nonce" not in profile["id_token"]
    refused(app.refresh(app.entered(answer).session.id_token, YAHOO, "any"), 403, "provider_tokens_disabled")
