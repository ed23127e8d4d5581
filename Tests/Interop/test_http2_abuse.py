"""HTTP/2 clients that send frames to exhaust the server (RFC 9113 §10.5).

hyperframe's and hpack's code: the frames and header blocks. Each abuse ends its own connection; other clients do not notice it,
and the memory of the server does not grow with it.
"""

from __future__ import annotations

import itertools
import re
import secrets
import ssl
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import hpack
import httpx
import pytest
from hyperframe.frame import (
    ContinuationFrame,
    DataFrame,
    Frame,
    GoAwayFrame,
    HeadersFrame,
    PingFrame,
    RstStreamFrame,
    SettingsFrame,
    WindowUpdateFrame,
)

from conftest import Peers, Secure, tls_client, tls_connection
from deployment.configuration import NATIVE_CALLBACK
from deployment.process import Deployment
from deployment.waiting import wait_until
from peers import browser, faults, tokens

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
CANCEL, ENHANCE_YOUR_CALM = 8, 11
# More than this must not stay in memory after an abuse.
GROWTH = 64 * 1024 * 1024


def _header(deployment: Deployment, *more: tuple[str, str], method: str = "GET") -> list[tuple[str, str]]:
    authority = deployment.origin.removeprefix("https://")
    return [
        (":method", method),
        (":scheme", "https"),
        (":path", "/openapi.json"),
        (":authority", authority),
        *more,
    ]


def _encoded(header: list[tuple[str, str]], encoder: hpack.Encoder | None = None) -> bytes:
    return (encoder or hpack.Encoder()).encode(header)


def _rapid_reset(deployment: Deployment) -> Iterator[Frame]:
    """Each request is cancelled at once, so that it does not count as open (CVE-2023-44487)."""
    encoder = hpack.Encoder()
    for number in range(20_000):
        block = _encoded(_header(deployment), encoder)
        yield HeadersFrame(2 * number + 1, block, flags=["END_HEADERS", "END_STREAM"])
        yield RstStreamFrame(2 * number + 1, CANCEL)


def _continuations(deployment: Deployment) -> Iterator[Frame]:
    """A header block that never ends (CVE-2024-27316)."""
    yield HeadersFrame(1, _encoded(_header(deployment)))
    for _ in range(100_000):
        yield ContinuationFrame(1, _encoded([("x-more", "x" * 100)]))


def _empty_continuations(deployment: Deployment) -> Iterator[Frame]:
    yield HeadersFrame(1, _encoded(_header(deployment)))
    for _ in range(100_000):
        yield ContinuationFrame(1, b"")


def _compressed_header(deployment: Deployment) -> Iterator[Frame]:
    """A block of some KiB that stands for a header of megabytes: each octet repeats an entry of 4 KB."""
    encoder = hpack.Encoder()
    large = ("x-large", "x" * 3900)
    first = _encoded(_header(deployment, large), encoder)
    yield HeadersFrame(1, first + _encoded([large], encoder) * 4000, flags=["END_HEADERS", "END_STREAM"])


def _empty_data(deployment: Deployment) -> Iterator[Frame]:
    """A body of frames without content, which flow control does not limit."""
    header = _header(deployment, ("content-type", "application/json"), method="POST")
    yield HeadersFrame(1, _encoded(header), flags=["END_HEADERS"])
    for _ in range(200_000):
        yield DataFrame(1, b"")


def _pings(deployment: Deployment) -> Iterator[Frame]:
    """Frames that the server has to acknowledge, while the client reads nothing."""
    for _ in range(500_000):
        yield PingFrame(0, b"12345678")


def _settings(deployment: Deployment) -> Iterator[Frame]:
    for _ in range(500_000):
        yield SettingsFrame(0, {SettingsFrame.INITIAL_WINDOW_SIZE: 65_535})


ABUSES: list[Callable[[Deployment], Iterator[Frame]]] = [
    _rapid_reset,
    _continuations,
    _empty_continuations,
    _compressed_header,
    _empty_data,
    _pings,
    _settings,
]


def _resident(deployment: Deployment) -> int:
    """The memory of the server, in octets."""
    pages = Path(f"/proc/{deployment.process.pid}/statm").read_text().split()[1]
    return int(pages) * 4096


def _send(connection: ssl.SSLSocket, frames: Iterator[Frame]) -> bool:
    """Sends until all frames are sent or the server closes. Returns whether the server ended the connection."""
    pending = PREFACE + SettingsFrame(0).serialize()
    try:
        for frame in frames:
            pending += frame.serialize()
            if len(pending) > 65_536:
                connection.sendall(pending)
                pending = b""
        connection.sendall(pending)
    except TimeoutError:
        # The server reads no more while its own answers are not read: it does not collect them in memory.
        return True
    except OSError:
        return True
    return _is_ended(connection)


def _is_ended(connection: ssl.SSLSocket) -> bool:
    """Whether a GOAWAY with an error, or the end of the connection, or the reset of the stream arrives."""
    received = b""
    try:
        while data := connection.recv(65_536):
            received += data
            while len(received) >= 9:
                frame, length = Frame.parse_frame_header(memoryview(received[:9]))
                if len(received) < 9 + length:
                    break
                frame.parse_body(memoryview(received[9 : 9 + length]))
                received = received[9 + length :]
                if isinstance(frame, GoAwayFrame) and frame.error_code != 0:
                    return True
                if isinstance(frame, RstStreamFrame):
                    return True
    except TimeoutError:
        return False
    except OSError:
        return True
    return True


@pytest.mark.parametrize("abuse", ABUSES, ids=lambda abuse: abuse.__name__.strip("_"))
def test_an_abuse_ends_only_its_own_connection(
    secure: Secure, root: Path, abuse: Callable[[Deployment], Iterator[Frame]]
) -> None:
    deployment = secure().start()
    with tls_client(root, http2=True) as client:
        assert client.get(deployment.origin + "/openapi.json").status_code == 200
        before = _resident(deployment)
        with tls_connection(deployment, root, "h2") as connection:
            assert _send(connection, abuse(deployment))
            answer: httpx.Response = client.get(deployment.origin + "/openapi.json")
            assert (answer.http_version, answer.status_code) == ("HTTP/2", 200)
        wait_until(lambda: _resident(deployment) < before + GROWTH, "the memory is free again")


def test_a_header_with_too_many_cookies_gets_a_page(secure: Secure, root: Path) -> None:
    deployment = secure().start()
    with tls_client(root, http2=True) as client:
        # The limit of the decoder applies when the client has acknowledged it, which it does with its second request.
        assert client.get(deployment.origin + "/authorize").status_code == 400
        answer = client.get(deployment.origin + "/authorize", headers={"Cookie": "a=" + "v" * 20_000})
    assert (answer.http_version, answer.status_code) == ("HTTP/2", 431)
    assert "delete the cookies of this website" in answer.text


def test_headers_that_are_too_large_are_counted_and_reported_once(secure: Secure, root: Path) -> None:
    deployment = secure().start()
    line = "a frame that is malformed, or whose header is too large"
    for _ in range(2):
        with tls_connection(deployment, root, "h2") as connection:
            assert _send(connection, _compressed_header(deployment))
    counted = 'token_exchange_refused_connections_total{reason="http2_frame"} 2'
    wait_until(lambda: counted in deployment.admin_text("/metrics"), "the connections are counted")
    wait_until(lambda: line in deployment.log, "the line")
    assert deployment.log.count(line) == 1


@pytest.mark.parametrize("abuse", [_rapid_reset, _empty_data, _pings, _settings], ids=lambda abuse: abuse.__name__)
def test_a_few_of_these_frames_are_allowed(
    secure: Secure, root: Path, abuse: Callable[[Deployment], Iterator[Frame]]
) -> None:
    """The same frames in a small number, so that it is their number that ends the connection."""
    deployment = secure().start()
    last = PingFrame(0, b"the last")
    with tls_connection(deployment, root, "h2") as connection:
        frames = [SettingsFrame(0), *itertools.islice(abuse(deployment), 2), last]
        connection.sendall(PREFACE + b"".join(frame.serialize() for frame in frames))
        acknowledgement = PingFrame(0, last.opaque_data, flags=["ACK"]).serialize()
        received = b""
        while acknowledgement not in received:
            data = connection.recv(65_536)
            assert data, "the server closed the connection"
            received += data


STREAMS = 32


def _frames(connection: ssl.SSLSocket) -> Iterator[Frame]:
    """The frames that arrive until the connection ends."""
    received = b""
    while True:
        while len(received) >= 9:
            frame, length = Frame.parse_frame_header(memoryview(received[:9]))
            if len(received) < 9 + length:
                break
            frame.parse_body(memoryview(received[9 : 9 + length]))
            received = received[9 + length :]
            yield frame
        try:
            data = connection.recv(65_536)
        except OSError:
            return
        if not data:
            return
        received += data


def test_more_streams_than_allowed_are_refused(secure: Secure, root: Path) -> None:
    """The server announces how many streams may be open at the same time (RFC 9113 §5.1.2)."""
    deployment = secure().start()
    encoder = hpack.Encoder()
    header = _header(deployment, ("content-type", "application/json"), method="POST")
    with tls_connection(deployment, root, "h2") as connection:
        connection.sendall(PREFACE + SettingsFrame(0).serialize())
        settings = next(frame for frame in _frames(connection) if isinstance(frame, SettingsFrame))
        assert settings.settings[SettingsFrame.MAX_CONCURRENT_STREAMS] == STREAMS
    with tls_connection(deployment, root, "h2") as connection:
        frames = (
            HeadersFrame(2 * number + 1, _encoded(header, encoder), flags=["END_HEADERS"]) for number in range(200)
        )
        assert _send(connection, frames)


def _unread(connection: ssl.SSLSocket, deployment: Deployment, path: str) -> None:
    """As many requests as a connection may have, whose responses have no window."""
    encoder = hpack.Encoder()
    header = [(name, path if name == ":path" else value) for name, value in _header(deployment)]
    frames: list[Frame] = [SettingsFrame(0, {SettingsFrame.INITIAL_WINDOW_SIZE: 0})]
    for number in range(STREAMS):
        frames.append(HeadersFrame(2 * number + 1, _encoded(header, encoder), flags=["END_HEADERS", "END_STREAM"]))
    connection.sendall(PREFACE + b"".join(frame.serialize() for frame in frames))


def _in_flight(deployment: Deployment) -> int:
    lines = deployment.admin_text("/metrics").splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith("token_exchange_requests_in_flight ")))


@pytest.mark.parametrize("path", ["/openapi.json", "/nothing"])
def test_responses_that_are_not_read_have_a_place_until_their_connection_ends(
    secure: Secure, root: Path, path: str
) -> None:
    """The response is ready and cannot be sent, also that of a refusal."""
    deployment = secure().start()
    with tls_connection(deployment, root, "h2") as connection:
        _unread(connection, deployment, path)
        wait_until(lambda: _in_flight(deployment) == STREAMS, "the requests are counted")
        farewell = [frame for frame in _frames(connection) if isinstance(frame, GoAwayFrame)]
        assert [frame.error_code for frame in farewell] == [ENHANCE_YOUR_CALM]
        wait_until(lambda: _in_flight(deployment) == 0, "the places are free")


def test_a_client_that_reads_slowly_gets_its_responses(secure: Secure, root: Path) -> None:
    """Each part that it takes gives it more time."""
    deployment = secure().start()
    with tls_connection(deployment, root, "h2") as connection:
        _unread(connection, deployment, "/nothing")
        ended = 0
        for frame in _frames(connection):
            if isinstance(frame, HeadersFrame):
                window = WindowUpdateFrame(frame.stream_id, window_increment=65_535)
                connection.sendall(window.serialize())
            ended += "END_STREAM" in frame.flags
            if ended == STREAMS:
                break
        assert ended == STREAMS


def test_places_that_are_not_used_are_given_to_others(secure: Secure, root: Path) -> None:
    """All places of the server are held by responses that are not read."""
    deployment = secure()
    deployment.settings["server"]["max_in_flight"] = 8
    deployment.configure(deployment.settings)
    deployment.start()
    with tls_connection(deployment, root, "h2") as connection, tls_client(root, http2=True) as client:
        _unread(connection, deployment, "/openapi.json")
        wait_until(lambda: _in_flight(deployment) >= 8, "the places are held")
        assert client.get(deployment.origin + "/openapi.json").status_code == 200


def test_a_callback_whose_connection_is_lost_answers_its_repetition(
    secure: Secure, root: Path, peers: Peers
) -> None:
    """The server cancels the requests of a lost connection, but not the step that the repetition waits for."""
    deployment = secure()
    deployment.settings["clients"]["app"]["redirect_uris"] = [NATIVE_CALLBACK]
    deployment.configure(deployment.settings)
    deployment.start()
    peers.ours.redirect_uris.append(f"{deployment.origin}/callback/op")
    request = {
        "response_type": "code",
        "client_id": "app",
        "redirect_uri": NATIVE_CALLBACK,
        "state": secrets.token_urlsafe(24),
        "code_challenge": tokens.sha256(secrets.token_urlsafe(48)),
        "code_challenge_method": "S256",
        "login_hint": "person",
    }
    held = faults.Held()
    before = len(peers.openid.arrivals("/token"))
    answers: list[httpx.Response] = []
    with tls_client(root, http2=True) as client:
        page = client.get(deployment.origin + "/authorize", params=request)
        (flow,) = re.findall(r'name="flow" value="([^"]+)"', page.text)
        left = client.post(deployment.origin + "/authorize", data={"flow": flow, "provider": "op"})
        callback = browser.callback(left.headers["Location"])
        cookie = "; ".join(f"{name}={value}" for name, value in client.cookies.items())
        header = _header(deployment, ("cookie", cookie))
        header[2] = (":path", callback.removeprefix(deployment.origin))
        repetition = threading.Thread(target=lambda: answers.append(client.get(callback)))
        with peers.openid.answering("/token", held):
            with tls_connection(deployment, root, "h2") as connection:
                first = HeadersFrame(1, _encoded(header), flags=["END_HEADERS", "END_STREAM"])
                connection.sendall(PREFACE + SettingsFrame(0).serialize() + first.serialize())
                wait_until(lambda: len(peers.openid.arrivals("/token")) > before, "the code is at the provider")
                repetition.start()
                wait_until(lambda: _in_flight(deployment) == 2, "the repetition waits")
                # The acknowledgement says that the server has read the frame before it.
                connection.sendall(RstStreamFrame(1, CANCEL).serialize() + PingFrame(0, b"the last").serialize())
                assert any(isinstance(frame, PingFrame) for frame in _frames(connection))
            held.release()
            repetition.join()
    (answer,) = answers
    assert browser.parameters(answer.headers["Location"]).keys() == {"code", "state", "iss"}
    assert len(peers.openid.arrivals("/token")) == before + 1
