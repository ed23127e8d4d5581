"""The configurations of the tests."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import Any

from peers import tokens
from peers.oauth1_server import Consumer, OAuth1Server
from peers.openid_provider import Client, OpenIDProvider

CALLBACK = "https://app.example/callback"
NATIVE_CALLBACK = "com.example.app:/callback"


def settings(service_account: Path | list[Path] | None, providers: dict[str, Any]) -> dict[str, Any]:
    """A configuration without the settings that `Deployment` adds: listeners, public URL and store."""
    accounts = service_account if isinstance(service_account, list) else [service_account]
    firebase = {"service_account": [str(path) for path in accounts]} if service_account else {}
    callbacks = [CALLBACK, NATIVE_CALLBACK]
    return {
        "server": {"drain_delay": "0s", "drain_timeout": "10s"},
        "firebase": firebase,
        "clients": {
            "app": {"provider_redirect_uris": callbacks},
            "trusted": {"provider_redirect_uris": callbacks, "return_provider_tokens": True},
            "narrow": {"provider_redirect_uris": callbacks, "providers": [next(iter(providers))]},
        },
        "providers": providers,
        # The same user has accounts at all providers; test_accounts.py tests the effect of equal addresses.
        "accounts": {"one_account_per_email": False},
        "limits": dict.fromkeys(
            ["exchange_per_address", "start_per_address", "page_per_address", "provider_failures"], "off"
        ),
        "logging": {"level": "debug"},
    }


def google_at(origin: str) -> dict[str, str]:
    """All of Google's endpoints at one origin."""
    return {
        "identity_toolkit": origin,
        "oauth_token": f"{origin}/token",
        "id_token_keys": f"{origin}/keys",
        "app_check_keys": f"{origin}/keys",
        "service_account_keys": f"{origin}/keys",
        "iam_credentials": origin,
        "metadata": origin,
        "secret_manager": origin,
    }


def postgres_store(uri: str) -> dict[str, Any]:
    """What a deployment needs for PostgreSQL: sections of the configuration, and `environment` with new keys."""
    return {
        "environment": {name: tokens.encode(secrets.token_bytes(32)) for name in ("SEAL_KEY", "STORE_KEY")},
        "store": uri,
        "seal_keys": ["env:SEAL_KEY"],
        "store_keys": ["env:STORE_KEY"],
    }


def firestore_store(uri: str, emulator: str) -> dict[str, Any]:
    """The same for a database at the emulator of Firestore."""
    return postgres_store(uri) | {"store_emulator_host": emulator}


def openid(provider: OpenIDProvider, client: Client, **members: Any) -> dict[str, Any]:
    """A generic provider, found by discovery."""
    return {
        "issuer": provider.issuer,
        "client_id": client.client_id,
        "client_secret": "env:OP_SECRET",
        "timeout": "10s",
    } | members


def twitter(server: OAuth1Server, consumer: Consumer, **members: Any) -> dict[str, Any]:
    """X with OAuth 1.0a only, at the stand-in."""
    return {
        "oauth1": {"consumer_key": consumer.key, "consumer_secret": "env:X_SECRET"},
        "accept": ["oauth1_token"],
        "endpoints": {"api": server.origin, "oauth1_authenticate": server.origin + "/oauth/authenticate"},
        "timeout": "10s",
    } | members
