"""A user whose browser is requests: without scripts and images, with cookies. It is our own code, except the HTTP."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser
from urllib.parse import urljoin

import requests

PAGE_FIELDS = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
}


@dataclass
class _Form(HTMLParser):
    """The only form of a page, and its heading."""

    action: str | None = None
    method: str = "get"
    values: dict[str, str] = field(default_factory=dict)
    buttons: list[tuple[str, str]] = field(default_factory=list)
    heading: str = ""
    _is_heading: bool = False

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attributes}
        if tag == "form":
            self.action, self.method = found["action"], found.get("method", "get")
        elif tag == "input" and (found.get("type") != "radio" or "checked" in found):
            self.values[found["name"]] = found.get("value", "")
        elif tag == "button":
            self.buttons.append((found.get("name", ""), found.get("value", "")))
        elif tag == "h1":
            self._is_heading = True

    def handle_endtag(self, tag: str) -> None:
        if tag == "h1":
            self._is_heading = False

    def handle_data(self, data: str) -> None:
        if self._is_heading:
            self.heading += data


class Person:
    """Follows redirects to the server and the stand-ins. `left_for` is the target of a redirect to another origin."""

    def __init__(self, server: str, *stand_ins: str, language: str = "en") -> None:
        self._server = server + "/"
        self._origins = tuple(origin + "/" for origin in (server, *stand_ins))
        self._session = requests.Session()
        self._session.trust_env = False
        self._session.headers["Accept-Language"] = language
        self.page: requests.Response | None = None
        self.left_for: str | None = None

    def open(self, url: str) -> Person:
        return self._go("get", url, None)

    @property
    def redirect(self) -> str:
        """The target of the redirect to another origin."""
        assert self.left_for is not None, f"no redirect, but the page {self.heading}"
        return self.left_for

    @property
    def form(self) -> _Form:
        assert self.page is not None, f"no page, but a redirect to {self.left_for}"
        form = _Form()
        form.feed(self.page.text)
        return form

    @property
    def heading(self) -> str:
        return " ".join(self.form.heading.split())

    def press(self, name: str, value: str, **typed: str) -> Person:
        """Types into the fields of the page and presses a button."""
        form = self.form
        assert (name, value) in form.buttons, f"{self.heading}: {form.buttons}"
        assert form.action is not None
        assert typed.keys() <= form.values.keys()
        assert self.page is not None
        values = form.values | typed | ({name: value} if name else {})
        return self._go(form.method, urljoin(self.page.url, form.action), values)

    def enter_code(self, code: str) -> Person:
        return self.press("", "", user_code=code)

    def allow(self, user: str = "alice") -> Person:
        """Gives the consent of a user at a stand-in."""
        return self.press("decision", "allow", user=user)

    def post(self, path: str, **form: str) -> Person:
        """Posts a form that no page of the server contains."""
        return self._go("post", self._server.removesuffix("/") + path, form)

    def _go(self, method: str, url: str, form: dict[str, str] | None) -> Person:
        for _ in range(5):
            response = self._session.request(method, url, data=form, allow_redirects=False, timeout=30)
            if not response.is_redirect:
                self.page, self.left_for = response, None
                assert response.headers["Content-Type"].startswith("text/html"), response.text
                for name, value in PAGE_FIELDS.items():
                    assert response.headers[name] == value, f"{name} of {url}"
                assert "default-src 'none'" in response.headers["Content-Security-Policy"]
                return self
            # RFC 9700 section 4.12: a redirect must not repeat a POST.
            assert response.status_code == 303 or not url.startswith(self._server), response.status_code
            method, url, form = "get", urljoin(url, response.headers["Location"]), None
            if not url.startswith(self._origins):
                self.page, self.left_for = None, url
                return self
        raise AssertionError(f"redirects without an end, at {url}")
