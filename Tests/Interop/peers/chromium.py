"""Headless Chromium, controlled through chromedriver: what a user sees and presses. Only loopback is reachable.

Chromium's behaviour: everything on a page. Our code: the names of the pages, and the rules that every page must follow.
"""

from __future__ import annotations

import contextlib
import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from selenium.common.exceptions import StaleElementReferenceException, TimeoutException
from selenium.webdriver import ActionChains, Chrome, ChromeOptions
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.wait import WebDriverWait

# An element of each page that no other page has.
PAGES = {
    "sign in": 'form[action="/authorize"] button[name="provider"]',
    "enter code": "#user_code:not([aria-invalid])",
    "code problem": '#user_code[aria-invalid="true"]',
    "confirm": 'form[action="/device"] button[name="provider"]',
    "approve": 'button[value="approve"]',
    "second factor": "#code:not([aria-invalid])",
    "wrong factor": '#code[aria-invalid="true"]',
    "done": ".mark.good",
    "refused": ".mark.calm",
    "form post": "form#response",
    "web message": "#response[data-origin]",
    "problem": ".mark.bad",
    "consent": 'input[name="user"]',
    "application": "#application",
}
DEADLINE = 20.0
# The smallest width. The height is greater than that of phones, so that pictures show whole pages.
PHONE = {"width": 320, "height": 1000, "deviceScaleFactor": 2, "mobile": True}

SHAPE = """
const controls = [...document.querySelectorAll("button, a, summary, input:not([type=hidden])")].filter(
  control => control.getClientRects().length);
return {
  lang: document.documentElement.lang, dir: document.documentElement.dir, title: document.title,
  heading: document.querySelector("h1").innerText, direction: getComputedStyle(document.querySelector("h1")).direction,
  background: getComputedStyle(document.querySelector("main")).backgroundColor,
  innerWidth: innerWidth, scrollWidth: document.documentElement.scrollWidth,
  lowest: Math.min(...controls.map(control => control.getBoundingClientRect().height)),
  beyond: [...document.querySelectorAll("body *")].filter(element => {
    const box = element.getBoundingClientRect();
    return box.width && (box.left < -0.5 || box.right > innerWidth + 0.5);
  }).map(element => element.outerHTML.slice(0, 80)),
};
"""
FOCUS = """
const element = document.activeElement, style = getComputedStyle(element), box = element.getBoundingClientRect();
return {
  tag: element.tagName.toLowerCase(), name: element.getAttribute("name"), value: element.value ?? null,
  isOnScreen: box.top >= 0 && box.left >= 0 && box.bottom <= innerHeight && box.right <= innerWidth,
  isRinged: element.matches(":focus-visible") && style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2,
};
"""


@dataclass(frozen=True)
class Focus:
    """The element that has the focus."""

    tag: str
    name: str | None
    value: str | None


class Chromium:
    """One process with its own profile."""

    def __init__(
        self, profile: Path, pictures: Path, language: str = "en", *, scripts: bool = True, extension: Path | None = None
    ) -> None:
        self._pictures = pictures
        options = ChromeOptions()
        options.binary_location = _installed("chromium")
        # Visitors are user contexts, which need BiDi and have no extensions. chromedriver's BiDi pauses the windows of an
        # extension at their first navigation.
        options.enable_bidi = extension is None
        for argument in (
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            f"--user-data-dir={profile}",
            f"--accept-lang={language}",
            "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--no-first-run",
            "--window-size=1280,1000",
        ):
            options.add_argument(argument)
        if extension is not None:
            options.add_argument(f"--load-extension={extension}")
        preferences: dict[str, Any] = {"intl.accept_languages": language}
        if not scripts:
            preferences["profile.managed_default_content_settings.javascript"] = 2
        options.add_experimental_option("prefs", preferences)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = Chrome(options=options, service=Service(_installed("chromedriver")))
        self.driver.set_page_load_timeout(DEADLINE)
        self._first_window = self.driver.current_window_handle

    @contextlib.contextmanager
    def visitor(self, name: str) -> Iterator[Visitor]:
        """Creates a user with an empty cookie jar; `name` is the prefix of the names of the pictures."""
        context = self.driver.browser.create_user_context()
        try:
            yield Visitor(self.driver, context, self._pictures, name)
        finally:
            self.driver.browser.remove_user_context(context)
            self.driver.switch_to.window(self._first_window)

    def stop(self) -> None:
        self.driver.quit()


class Visitor:
    """A user at a browser."""

    def __init__(self, driver: Chrome, context: str, pictures: Path, name: str) -> None:
        self._driver = driver
        self._context = context
        self._pictures = pictures
        self._name = name
        self._count = 0
        self.new_tab()

    # MARK: - Pages

    def new_tab(self) -> str:
        """Opens a tab and switches to it."""
        handle = self._driver.browsing_context.create(type="tab", user_context=self._context)
        self.go_to_tab(handle)
        return handle

    def go_to_tab(self, handle: str) -> None:
        self._driver.switch_to.window(handle)

    @property
    def tab(self) -> str:
        return self._driver.current_window_handle

    def windows(self) -> set[str]:
        """The tabs and pop-up windows of all users."""
        return set(self._driver.window_handles)

    @property
    def url(self) -> str:
        return self._driver.current_url

    @property
    def title(self) -> str:
        return self._driver.title

    def open(self, url: str) -> None:
        self._driver.get(url)

    def back(self) -> None:
        self._driver.back()

    def reload(self) -> None:
        self._driver.refresh()

    def see(self, page: str) -> None:
        """Waits for a page by its name, and checks the rules that every page must follow."""
        try:
            self.wait_until(lambda: bool(self.find_all(PAGES[page])))
        except TimeoutException as error:
            self.take_picture(f"not {page}")
            raise AssertionError(f"{page} was expected, not {self._pages()} at {self.url}") from error
        assert self._pages() == [page]
        self.check_console()

    def wait_until(self, condition: Callable[[], bool]) -> None:
        # A page that replaces an element while the condition reads it has not reached the condition yet.
        WebDriverWait(
            self._driver, DEADLINE, poll_frequency=0.05, ignored_exceptions=[StaleElementReferenceException]
        ).until(lambda driver: condition())

    def _pages(self) -> list[str]:
        return [name for name, selector in PAGES.items() if self.find_all(selector)]

    def console(self) -> list[str]:
        """Returns the new lines of the browser's log, for all its tabs.

        It omits HTTP statuses of documents, since error pages have them, and messages of scripts, since chromedriver
        has one.
        """
        entries = [entry for entry in self._driver.get_log("browser") if entry["source"] != "console-api"]
        return [text for entry in entries if "the server responded with a status of" not in (text := entry["message"])]

    def check_console(self) -> None:
        messages = self.console()
        assert not messages, f"{self.url}: {messages}"

    def take_picture(self, what: str) -> None:
        """Saves a picture of the page."""
        self._count += 1
        name = re.sub(r"[^a-z0-9]+", "-", f"{self._name}-{self._count:02}-{what}".lower())
        self._driver.save_screenshot(self._pictures / f"{name}.png")

    # MARK: - Pointer

    def find(self, selector: str) -> WebElement:
        return self._driver.find_element(By.CSS_SELECTOR, selector)

    def find_all(self, selector: str) -> list[WebElement]:
        return self._driver.find_elements(By.CSS_SELECTOR, selector)

    def press(self, name: str, value: str) -> None:
        self.find(f'button[name="{name}"][value="{value}"]').click()

    def choose_provider(self, provider: str) -> None:
        self.press("provider", provider)

    def allow(self, user: str | None = "alice") -> None:
        """Gives the consent of a user at a stand-in; `None` for the one whom the page has selected."""
        self.see("consent")
        if user:
            self.find(f'input[name="user"][value="{user}"]').click()
        self.press("decision", "allow")

    def enter_code(self, code: str) -> None:
        element = self.find("#user_code")
        element.clear()
        element.send_keys(code)
        self.find('form[action="/device"] button.primary').click()

    def prove(self, code: str) -> None:
        """Enters a code of a second factor."""
        element = self.find("#code")
        element.clear()
        element.send_keys(code)
        self.press("decision", "prove")

    # MARK: - Keyboard

    def key(self, *keys: str) -> None:
        ActionChains(self._driver).send_keys(*keys).perform()

    def chord(self, held: str, key: str) -> None:
        ActionChains(self._driver).key_down(held).send_keys(key).key_up(held).perform()

    def tab_to(self, tag: str, name: str | None = None, value: str | None = None) -> None:
        """Presses the Tab key once. Then the element must have the focus and show it."""
        self.key(Keys.TAB)
        assert self.focus() == Focus(tag, name, value)

    def focus(self) -> Focus:
        """Expects that the element has the focus and shows it."""
        found = self._driver.execute_script(FOCUS)
        assert found["isRinged"], found
        assert found["isOnScreen"], found
        return Focus(found["tag"], found["name"], found["value"])

    # MARK: - Looks

    def run(self, script: str) -> Any:
        return self._driver.execute_script(script)

    def unfold(self) -> None:
        """Opens the switch for the language."""
        self._driver.execute_script("for (const part of document.querySelectorAll('details')) part.open = true;")

    def shape(self) -> dict[str, Any]:
        return self._driver.execute_script(SHAPE)

    def phone(self) -> contextlib.AbstractContextManager[None]:
        """Sets the width of the screen to 320 CSS pixels."""
        return self._screen(PHONE)

    def screen(self, width: int, height: int) -> contextlib.AbstractContextManager[None]:
        """Sets the size of the screen in CSS pixels."""
        return self._screen({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})

    @contextlib.contextmanager
    def _screen(self, metrics: dict[str, Any]) -> Iterator[None]:
        self._driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        try:
            yield
        finally:
            self._driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})

    @contextlib.contextmanager
    def scheme(self, name: str) -> Iterator[None]:
        """Sets `dark` or `light` with reduced motion; otherwise colours would change for a tenth of a second."""
        features = [
            {"name": "prefers-color-scheme", "value": name},
            {"name": "prefers-reduced-motion", "value": "reduce"},
        ]
        self._driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
        try:
            yield
        finally:
            self._driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})

    def cookies(self) -> list[dict[str, Any]]:
        return self._driver.get_cookies()


def _installed(program: str) -> str:
    path = shutil.which(program)
    assert path is not None, f"{program} is not installed; scripts/setup tests installs it"
    return path
