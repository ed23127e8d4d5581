"""The deployment that most tests share, its peers, and fixtures that create further ones."""

from __future__ import annotations

import contextlib
import os
import socket
import ssl
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from deployment.account_application import AccountApplication
from deployment.application import Application
from deployment.configuration import CALLBACK, NATIVE_CALLBACK, openid, postgres_store, settings, twitter
from deployment.firebase import PROJECT, Firebase
from deployment.native_application import NativeApplication
from deployment.process import Deployment, free_port
from deployment.sandbox import Sandbox, SandboxedDeployment, sandboxed_deployment
from deployment.service_account import ServiceAccount
from deployment.waiting import DEADLINE
from peers.authority import Authority, Issued
from peers.oauth1_server import Consumer, OAuth1Server
from peers.chromium import Chromium, Visitor
from peers.openid_provider import Client, OpenIDProvider
from peers.person import Person
from peers.witness import Witness

# A space and reserved characters, which RFC 6749 section 2.3.1 encodes before Basic does. There is no percent sign,
# because Authlib's server decodes it and its client does not encode it.
CLIENT_SECRET = "op/secret+with =:all"


def pytest_configure() -> None:
    path = os.environ.get("TOKEN_EXCHANGE_BINARY")
    if not path:
        pytest.exit(
            "TOKEN_EXCHANGE_BINARY is not set. Build the server and name it: "
            "TOKEN_EXCHANGE_TARGETS=all swift build && "
            'TOKEN_EXCHANGE_BINARY="$PWD/.build/debug/token-exchange" python -m pytest Tests/Interop',
            returncode=2,
        )
    if not os.access(path, os.X_OK):
        pytest.exit(f"TOKEN_EXCHANGE_BINARY names nothing that can be run: {path}", returncode=2)


@pytest.fixture(scope="session")
def binary() -> Path:
    return Path(os.environ["TOKEN_EXCHANGE_BINARY"]).resolve()


@pytest.fixture(scope="session")
def service_account() -> ServiceAccount:
    return ServiceAccount()


@dataclass(frozen=True)
class Peers:
    """The peers of the shared deployment, with the registrations of our application and of another one."""

    openid: OpenIDProvider
    ours: Client
    ours_with_ec: Client
    phone: Client
    stranger: Client
    x: OAuth1Server
    consumer: Consumer
    other_consumer: Consumer

    @property
    def environment(self) -> dict[str, str]:
        return {"OP_SECRET": CLIENT_SECRET, "X_SECRET": self.consumer.secret}

    @property
    def providers(self) -> dict[str, Any]:
        """
        | id | ID tokens | nonce of a posted one | else |
        | --- | --- | --- | --- |
        | op | RS256 | /v1/nonce | introspection; the phone's client id counts as ours |
        | op-ec | ES256 | the application's, hashed | |
        | op-plain | RS256 | the application's, plain | |
        | hasty | RS256 | /v1/nonce | waits three seconds for an answer |
        """
        op, introspection = self.openid, {"introspection": self.openid.origin + "/introspect"}
        return {
            "op": openid(
                op,
                self.ours,
                client_ids=[self.phone.client_id],
                accept=["authorization_code", "id_token", "access_token"],
                endpoints=introspection,
            ),
            "op-ec": openid(op, self.ours_with_ec, nonce="client"),
            "op-plain": openid(op, self.ours, nonce="client_plain"),
            "hasty": openid(op, self.ours, timeout="3s"),
            "twitter.com": twitter(self.x, self.consumer),
        }


@pytest.fixture(scope="session")
def peers() -> Iterator[Peers]:
    op, x = OpenIDProvider(), OAuth1Server()
    callbacks = [CALLBACK, NATIVE_CALLBACK]
    yield Peers(
        openid=op,
        ours=op.register("server-client", CLIENT_SECRET, callbacks),
        ours_with_ec=op.register("server-client-ec", CLIENT_SECRET, callbacks, "ES256"),
        phone=op.register("phone-client", None, callbacks),
        stranger=op.register("stranger", "strangers-secret", ["https://stranger.example/callback"]),
        x=x,
        consumer=x.register(callbacks),
        other_consumer=x.register(["https://stranger.example/callback"]),
    )
    op.stop()
    x.stop()


@pytest.fixture(scope="session")
def shared(
    binary: Path, tmp_path_factory: pytest.TempPathFactory, service_account: ServiceAccount, peers: Peers
) -> Iterator[Deployment]:
    folder = tmp_path_factory.mktemp("shared")
    deployment = Deployment(binary, folder, settings(service_account.write(folder), peers.providers), peers.environment)
    deployment.secrets.add(CLIENT_SECRET, peers.consumer.secret)
    deployment.start()
    yield deployment
    deployment.close()


@pytest.fixture
def deployment(shared: Deployment) -> Iterator[Deployment]:
    """The shared deployment, which every test must leave in a working state."""
    yield shared
    assert shared.admin("/readyz") == 200, shared.admin_text("/readyz")


@pytest.fixture
def app(deployment: Deployment) -> Application:
    return Application(deployment)


@pytest.fixture
def trusted(deployment: Deployment) -> Application:
    """A client that receives the provider's tokens."""
    return Application(deployment, "trusted")


Deploy = Callable[..., Deployment]


@pytest.fixture
def deploy(binary: Path, tmp_path: Path, service_account: ServiceAccount, peers: Peers) -> Iterator[Deploy]:
    """Creates a deployment for one test, without starting it."""
    made: list[Deployment] = []

    def make(
        providers: dict[str, Any] | None = None,
        environment: dict[str, str] | None = None,
        accounts: list[ServiceAccount] | None = None,
        **sections: Any,
    ) -> Deployment:
        folder = tmp_path / f"deployment-{len(made)}"
        folder.mkdir()
        files = [
            account.write(folder, f"service-account-{number}.json")
            for number, account in enumerate(accounts if accounts is not None else [service_account])
        ]
        deployment = Deployment(
            binary,
            folder,
            settings(files or None, providers or {"op": peers.providers["op"]}) | sections,
            peers.environment | (environment or {}),
        )
        deployment.secrets.add(CLIENT_SECRET, peers.consumer.secret)
        made.append(deployment)
        return deployment

    yield make
    with contextlib.ExitStack() as stack:
        for deployment in made:
            stack.callback(deployment.close)


@pytest.fixture
def deploy_on(deploy: Deploy) -> Callable[[str], Deployment]:
    """Creates a server for a database, without starting it."""
    keys = postgres_store("")["environment"]

    def make(uri: str) -> Deployment:
        return deploy(**postgres_store(uri) | {"environment": keys})

    return make


@pytest.fixture
def own_provider() -> Iterator[tuple[OpenIDProvider, Client]]:
    """A provider that only this test uses."""
    provider = OpenIDProvider()
    yield provider, provider.register("server-client", CLIENT_SECRET, [CALLBACK])
    provider.stop()


@pytest.fixture
def witness() -> Iterator[Witness]:
    listener = Witness()
    yield listener
    listener.stop()
    assert listener.connections == 0, "a connection reached the listener that must see none"


# MARK: - The browser flow


@pytest.fixture(scope="module")
def sandboxed(binary: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SandboxedDeployment]:
    """A server with stand-ins for Yahoo and X, whose accounts and wrong device codes are those of all tests of a module."""
    account = ServiceAccount(PROJECT)
    with sandboxed_deployment(binary, tmp_path_factory.mktemp("sandboxed"), account) as deployment:
        yield deployment


@pytest.fixture
def native(sandboxed: SandboxedDeployment) -> Iterator[NativeApplication]:
    """An application of that server, which listens on loopback for its redirect."""
    application = NativeApplication(sandboxed.server)
    yield application
    application.stop()


@pytest.fixture
def members(sandboxed: SandboxedDeployment) -> Iterator[AccountApplication]:
    """The application of `native`, for users who are signed in to it."""
    firebase = Firebase(sandboxed.sandbox)
    yield AccountApplication(sandboxed.server, firebase, sandboxed.sandbox)
    firebase.close()


@pytest.fixture
def person(sandboxed: SandboxedDeployment) -> Person:
    """A user whose browser has no scripts and no cookies yet."""
    return Person(sandboxed.server.origin, sandboxed.sandbox.yahoo, sandboxed.sandbox.x)


PICTURES = Path(__file__).parents[2] / "var" / "interop-screenshots"
Launch = Callable[..., Chromium]


@pytest.fixture(scope="module")
def launch(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Launch]:
    """Starts Chromium, once for each language, with scripts and without."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    running: dict[tuple[str, bool], Chromium] = {}

    def launched(language: str = "en", *, scripts: bool = True) -> Chromium:
        if (language, scripts) not in running:
            profile = tmp_path_factory.mktemp(f"chromium-{language}")
            running[language, scripts] = Chromium(profile, PICTURES, language, scripts=scripts)
        return running[language, scripts]

    yield launched
    for chromium in running.values():
        chromium.stop()


@pytest.fixture
def visitor(launch: Launch, request: pytest.FixtureRequest) -> Iterator[Visitor]:
    """A new user with an English browser on a desktop."""
    with launch().visitor(request.node.name.removeprefix("test_")) as visitor:
        yield visitor


# MARK: - Accounts


@pytest.fixture(scope="session")
def sandbox(binary: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    """The stand-ins for Yahoo, X and Google, without a server."""
    folder = tmp_path_factory.mktemp("sandbox")
    ServiceAccount(PROJECT).write(folder)
    nobody = f"http://127.0.0.1:{free_port()}"
    sandbox = Sandbox(binary, folder, nobody, nobody)
    yield sandbox
    sandbox.stop()


@pytest.fixture
def firebase(sandbox: Sandbox) -> Iterator[Firebase]:
    """Google's stand-in without users."""
    firebase = Firebase(sandbox)
    firebase.clear()
    yield firebase
    firebase.close()


@pytest.fixture(scope="module")
def authority() -> Authority:
    return Authority()


@pytest.fixture
def root(authority: Authority, tmp_path: Path) -> Path:
    return authority.write_root(tmp_path / "root.pem")


Secure = Callable[..., Deployment]


@pytest.fixture
def secure(deploy: Deploy, authority: Authority) -> Secure:
    """Creates a deployment with a certificate, without starting it."""

    def make(issued: Issued | None = None, **members: Any) -> Deployment:
        deployment = deploy()
        files = (issued or authority.issue()).write(deployment.folder)
        deployment.origin = deployment.origin.replace("http://127.0.0.1", "https://localhost")
        deployment.settings["server"] |= {"public_url": deployment.origin, "tls": files | members}
        deployment.configure(deployment.settings)
        return deployment

    return make


def tls_client(root: Path, http2: bool = False, address: str | None = None) -> httpx.Client:
    """A client that trusts the authority of the tests, and connects from this address."""
    context = ssl.create_default_context(cafile=root)
    transport = httpx.HTTPTransport(verify=context, http2=http2, local_address=address)
    return httpx.Client(transport=transport, trust_env=False, timeout=DEADLINE)


def tls_connection(
    deployment: Deployment, root: Path, *protocols: str, ciphers: str = "DEFAULT", **versions: ssl.TLSVersion
) -> ssl.SSLSocket:
    """A connection to a deployment of `secure`, after the handshake."""
    context = ssl.create_default_context(cafile=root)
    context.set_ciphers(ciphers)
    context.set_alpn_protocols(list(protocols))
    for name, version in versions.items():
        setattr(context, name, version)
    port = int(deployment.origin.rsplit(":", 1)[1])
    connection = socket.create_connection(("127.0.0.1", port), timeout=DEADLINE)
    return context.wrap_socket(connection, server_hostname="localhost")


Settle = Callable[..., AccountApplication]


@pytest.fixture
def settle(binary: Path, tmp_path: Path, sandbox: Sandbox, firebase: Firebase) -> Iterator[Settle]:
    """Starts a server with the stand-ins and returns its application. `members` are merged into the configuration."""
    made: list[Deployment] = []

    def settled(client_id: str = "my-app", **sections: dict[str, Any]) -> AccountApplication:
        folder = tmp_path / f"settled-{len(made)}"
        folder.mkdir()
        settings = sandbox.settings
        for name, members in ({"logging": {"level": "debug", "format": "json"}} | sections).items():
            settings[name] = settings.get(name, {}) | members if isinstance(members, dict) else members
        settings["store"] = f"sqlite://{folder}/token-exchange.db"
        deployment = Deployment(binary, folder, settings)
        made.append(deployment)
        sandbox.redirect_to(deployment.origin)
        deployment.start()
        return AccountApplication(deployment, firebase, sandbox, client_id)

    yield settled
    with contextlib.ExitStack() as stack:
        for deployment in made:
            stack.callback(deployment.close)


@pytest.fixture(params=["local", "firebase"])
def directory(request: pytest.FixtureRequest) -> str:
    """The account directory."""
    return request.param


@pytest.fixture
def people(settle: Settle, directory: str) -> AccountApplication:
    """An application without signed-in users."""
    return settle(firebase={"directory": directory})
