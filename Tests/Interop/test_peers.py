"""The peers without the server, each used by a client that this project did not write."""

from __future__ import annotations

from urllib.parse import parse_qsl

import pytest
import requests
from joserfc import jwt
from joserfc.jwk import KeySet
from oauthlib.oauth1 import Client as OAuth1Client

from conftest import Peers
from deployment.configuration import CALLBACK
from peers import browser, tokens
from peers.oauth1_server import OAuth1Server, person
from peers.witness import Witness


@pytest.mark.parametrize("which", ["ours", "ours_with_ec", "phone"])
def test_authlibs_client_gets_an_id_token_that_joserfc_verifies(peers: Peers, which: str) -> None:
    client = getattr(peers, which)
    issued = browser.obtain_tokens(peers.openid, client, nonce=f"nonce-of-{which}", subject="alice")
    keys = KeySet.import_key_set(requests.get(peers.openid.origin + "/keys", timeout=5).json())
    token = jwt.decode(issued["id_token"], keys, algorithms=[client.id_token_signed_response_alg])
    assert (token.claims["aud"], token.claims["sub"]) == (client.client_id, "alice")
    assert token.claims["nonce"] == f"nonce-of-{which}"


def test_the_providers_code_is_bound_to_its_verifier(peers: Peers) -> None:
    _, session, redirect = browser.obtain_code(peers.openid, peers.ours)
    with pytest.raises(Exception, match="invalid_grant"):
        session.fetch_token(peers.openid.origin + "/token", authorization_response=redirect, code_verifier="x" * 43)


def test_oauthlibs_client_completes_all_legs(peers: Peers) -> None:
    server, consumer = peers.x, peers.consumer

    def call(method: str, path: str, **credentials: str) -> requests.Response:
        client = OAuth1Client(consumer.key, consumer.secret, **credentials)
        url, header, body = client.sign(server.origin + path, method)
        return requests.request(method, url, headers=header, data=body, timeout=5)

    asked = dict(parse_qsl(call("POST", OAuth1Server.REQUEST_TOKEN, callback_uri=CALLBACK).text))
    redirect = browser.callback(f"{server.origin}/oauth/authenticate?oauth_token={asked['oauth_token']}")
    issued = dict(
        parse_qsl(
            call(
                "POST",
                OAuth1Server.ACCESS_TOKEN,
                resource_owner_key=asked["oauth_token"],
                resource_owner_secret=asked["oauth_token_secret"],
                verifier=browser.parameters(redirect)["oauth_verifier"],
            ).text
        )
    )
    pair = {"resource_owner_key": issued["oauth_token"], "resource_owner_secret": issued["oauth_token_secret"]}
    assert call("GET", OAuth1Server.VERIFY_CREDENTIALS, **pair).json()["id_str"] == issued["user_id"]
    assert call("GET", OAuth1Server.USERS_ME, **pair).json()["data"]["id"] == issued["user_id"]


def test_the_oauth1_server_refuses_a_pair_of_another_consumer(peers: Peers) -> None:
    issued = peers.x.issue(peers.other_consumer, person())
    client = OAuth1Client(peers.consumer.key, peers.consumer.secret, issued.token, issued.secret)
    url, header, _ = client.sign(peers.x.origin + OAuth1Server.VERIFY_CREDENTIALS)
    assert requests.get(url, headers=header, timeout=5).status_code == 401


def test_the_other_signature_is_valid_too(peers: Peers) -> None:
    """Control: without this test the replay tests might test the provider instead of the server."""
    token = tokens.signed(peers.openid.claims("anybody"), peers.openid.ec_key, "ES256")
    other = tokens.with_other_signature(token)
    assert other != token
    assert tokens.verifies(token, peers.openid.ec_key)
    assert tokens.verifies(other, peers.openid.ec_key)
    assert not tokens.verifies(tokens.with_a_flipped_bit(token), peers.openid.ec_key)


def test_the_other_tail_decodes_to_the_same_octets(peers: Peers) -> None:
    for algorithm in ("RS256", "ES256"):
        token = tokens.signed(peers.openid.claims("anybody"), peers.openid.key(algorithm), algorithm)
        other = tokens.with_other_tail(token)
        assert other != token
        assert tokens.decode(other.split(".")[2]) == tokens.decode(token.split(".")[2])


def test_the_witness_notices_a_connection() -> None:
    listener = Witness()
    with pytest.raises(requests.ConnectionError):
        requests.get(listener.origin, timeout=5)
    listener.stop()
    assert listener.connections == 1
