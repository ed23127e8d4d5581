"""The browser flow and the device grant as a user sees them, in Chromium, with the stand-ins of the sandbox."""

from __future__ import annotations

import pytest
from selenium.webdriver.common.keys import Keys

from conftest import Launch
from deployment.account_application import AccountApplication
from deployment.expectations import redeemed, refused
from deployment.native_application import NativeApplication, Television
from deployment.sandbox import SandboxedDeployment
from peers.chromium import Focus, Visitor

BJORN = {
    "yahoo.com": "BJORNWJNWVNQD4GXZ5NGMZUST4",
    "twitter.com": "1580661436132757506",
}
WAYS = pytest.mark.parametrize(
    ("provider", "flow"),
    [("yahoo.com", {}), ("twitter.com", {"flow": "oauth2"}), ("twitter.com", {"flow": "oauth1"})],
    ids=["yahoo", "x-oauth2", "x-oauth1"],
)


@pytest.fixture
def tv(sandboxed: SandboxedDeployment) -> Television:
    return Television(sandboxed.server)


# MARK: - Sign-in


@WAYS
def test_a_person_signs_in(
    sandboxed: SandboxedDeployment, native: NativeApplication, visitor: Visitor, provider: str, flow: dict[str, str]
) -> None:
    begun = native.begin(**flow)
    visitor.open(begun.url)
    visitor.see("sign in")
    assert visitor.shape()["heading"] == "Sign in to My App"
    assert not native.answers, "the browser is redirected before a button is pressed"
    visitor.choose_provider(provider)
    visitor.allow("bjorn")
    visitor.see("application")
    answer = native.answer_to(begun)
    assert answer.keys() == {"code", "state", "iss"}
    body = redeemed(native.redeem(begun, answer["code"]), sandboxed.account)
    assert (body["provider"], body["provider_uid"]) == (provider, BJORN[provider])
    # In OAuth 1.0a, X sends the user id with the token, so that the server asks for the profile only at the first sign-in.
    is_asked = body["is_new_user"] or flow != {"flow": "oauth1"}
    assert body["profile"].get("name") == ("Björn Ångström" if is_asked else None)
    refused(native.redeem(begun, answer["code"]), 400, "replayed")


@pytest.mark.parametrize("intent", ["link", "reauthenticate"])
def test_a_flow_with_an_intent_names_the_account_that_it_will_open(
    native: NativeApplication, members: AccountApplication, visitor: Visitor, intent: str
) -> None:
    entered = members.enter("yahoo.com", "bjorn")
    begun = native.push(entered.session.id_token, intent, provider="yahoo.com")
    visitor.open(begun.url)
    visitor.see("sign in")
    heading = {"link": "Add another way to sign in to My App", "reauthenticate": "Confirm for My App that it is you"}
    assert visitor.shape()["heading"] == heading[intent]
    shown = visitor.find("#account").text
    assert entered.body["profile"]["email"] in shown
    assert "Yahoo" in shown
    assert not native.answers, "the browser is redirected before a button is pressed"
    visitor.choose_provider("yahoo.com")
    visitor.allow("bjorn")
    visitor.see("application")
    assert native.answer_to(begun).keys() == {"code", "state", "iss"}


def test_a_session_with_an_intent_shows_a_page_of_the_server_first(
    sandboxed: SandboxedDeployment, members: AccountApplication, visitor: Visitor
) -> None:
    """The page opens as often as it is reloaded, and its button continues once."""
    guest = members.anonymous()
    body = {
        "client_id": "my-app", "provider": "yahoo.com", "redirect_uri": "com.example.app:/yahoo", "intent": "link",
    }
    begun = members.post("/v1/signin", body, Authorization=f"Bearer {guest.session.id_token}")
    assert begun["authorization_url"].startswith(f"{sandboxed.server.origin}/authorize?")
    visitor.open(begun["authorization_url"])
    visitor.see("sign in")
    assert visitor.find("#account").text == f"Guest account, ending in {guest.uid[-6:]}"
    visitor.reload()
    visitor.see("sign in")
    visitor.choose_provider("yahoo.com")
    visitor.see("consent")
    visitor.open(begun["authorization_url"])
    visitor.see("sign in")
    visitor.choose_provider("yahoo.com")
    visitor.see("problem")


def test_a_provider_that_the_application_names_is_the_only_one_offered(
    sandboxed: SandboxedDeployment, native: NativeApplication, visitor: Visitor
) -> None:
    begun = native.begin(provider="twitter.com")
    visitor.open(begun.url)
    visitor.see("sign in")
    offered = [button.get_attribute("value") for button in visitor.find_all('button[name="provider"]')]
    assert offered == ["twitter.com", ""]
    visitor.choose_provider("twitter.com")
    visitor.allow("alice")
    visitor.see("application")
    body = redeemed(native.redeem(begun, native.answer_to(begun)["code"]), sandboxed.account)
    assert body["uid"] == "twitter.com:2244994945"


def test_nothing_needs_scripts(sandboxed: SandboxedDeployment, native: NativeApplication, launch: Launch) -> None:
    tv = Television(sandboxed.server)
    with launch(scripts=False).visitor("nothing needs scripts") as visitor:
        visitor.open("data:text/html,<title>off</title><script>document.title = 'on'</script>")
        assert visitor.title == "off", "scripts run, so that this would prove nothing"
        begun = native.begin()
        visitor.open(begun.url)
        visitor.see("sign in")
        visitor.choose_provider("yahoo.com")
        visitor.allow("alice")
        visitor.see("application")
        redeemed(native.redeem(begun, native.answer_to(begun)["code"]), sandboxed.account)
        _approve(visitor, tv)
    redeemed(tv.poll(), sandboxed.account)


@WAYS
def test_a_refusal_at_the_provider_redirects_to_the_application(
    native: NativeApplication, visitor: Visitor, provider: str, flow: dict[str, str]
) -> None:
    begun = native.begin(**flow)
    visitor.open(begun.url)
    visitor.see("sign in")
    visitor.choose_provider(provider)
    visitor.see("consent")
    visitor.press("decision", "deny")
    visitor.see("application")
    answer = native.answer_to(begun)
    assert answer["error"] == "access_denied"
    assert "code" not in answer


def test_cancelling_redirects_to_the_application(native: NativeApplication, visitor: Visitor) -> None:
    begun = native.begin()
    visitor.open(begun.url)
    visitor.see("sign in")
    visitor.press("provider", "")
    visitor.see("application")
    assert native.answer_to(begun)["error"] == "access_denied"


def test_a_sign_in_that_is_over_stays_over(native: NativeApplication, visitor: Visitor) -> None:
    """The user goes back to the provider's page and confirms again, and then reloads the callback."""
    begun = native.begin()
    visitor.open(begun.url)
    visitor.see("sign in")
    visitor.choose_provider("yahoo.com")
    visitor.allow()
    visitor.see("application")
    native.answer_to(begun)
    visitor.back()
    visitor.allow()
    for again in (visitor.reload, lambda: None):
        visitor.see("problem")
        assert visitor.shape()["heading"] == "This sign-in has ended"
        assert "/callback/yahoo.com?" in visitor.url
        again()
    assert len(native.answers) == 1


@pytest.mark.parametrize("ending", ["success", "refusal", "cancel"])
def test_a_flow_leaves_no_cookie_behind(native: NativeApplication, visitor: Visitor, ending: str) -> None:
    """A remaining cookie would allow the same form to be posted again, and would displace flows in progress."""
    begun = native.begin()
    visitor.open(begun.url)
    visitor.see("sign in")
    assert [cookie["name"].partition("-")[0] for cookie in visitor.cookies()] == ["flow"]
    visitor.choose_provider("" if ending == "cancel" else "yahoo.com")
    if ending != "cancel":
        visitor.see("consent")
        visitor.press("decision", "allow" if ending == "success" else "deny")
    visitor.see("application")
    native.answer_to(begun)
    assert not visitor.cookies()


def test_two_flows_of_one_browser_end_in_reverse_order(
    sandboxed: SandboxedDeployment, native: NativeApplication, visitor: Visitor
) -> None:
    first, second = native.begin(), native.begin()
    tabs = [visitor.tab, visitor.new_tab()]
    for tab, begun, provider in zip(tabs, (first, second), ("yahoo.com", "twitter.com"), strict=True):
        visitor.go_to_tab(tab)
        visitor.open(begun.url)
        visitor.see("sign in")
        visitor.choose_provider(provider)
        visitor.see("consent")
    for tab, user in ((tabs[1], "bjorn"), (tabs[0], "alice")):
        visitor.go_to_tab(tab)
        visitor.allow(user)
        visitor.see("application")
    assert [answer["state"] for answer in native.answers] == [second.state, first.state]
    uids = [
        redeemed(native.redeem(begun, native.answer_to(begun)["code"]), sandboxed.account)["uid"]
        for begun in (first, second)
    ]
    assert uids == ["yahoo.com:ALICEWJNWVNQD4GXZ5NGMZUST4", f"twitter.com:{BJORN['twitter.com']}"]


@pytest.mark.parametrize(
    ("change", "heading"),
    [
        ({"client_id": "nobody"}, "This application is not known here"),
        ({"redirect_uri": "https://evil.example/callback"}, "This sign-in cannot continue"),
        ({"redirect_uri": "http://127.0.0.1/elsewhere"}, "This sign-in cannot continue"),
        ({"redirect_uri": "http://127.0.0.1.evil.example/callback"}, "This sign-in cannot continue"),
    ],
    ids=["unknown client", "unregistered host", "unregistered path", "host that begins alike"],
)
def test_an_unknown_client_or_redirect_uri_is_never_redirected_to(
    native: NativeApplication, visitor: Visitor, change: dict[str, str], heading: str
) -> None:
    url = native.begin(**change).url
    visitor.open(url)
    visitor.see("problem")
    assert visitor.shape()["heading"] == heading
    assert visitor.url == url
    assert not visitor.find_all("form, a, meta[http-equiv]"), "the page has a link"
    assert not native.answers


def test_the_browser_reports_a_violation_of_the_policy(native: NativeApplication, visitor: Visitor) -> None:
    """Control: the check of the console finds a violation. Without this test the check might find nothing at all."""
    visitor.open(native.begin().url)
    visitor.see("sign in")
    visitor.run('document.body.setAttribute("style", "color: red"); document.body.append(new Image())')
    visitor.run('document.body.lastChild.src = location.origin + "/picture.png"')
    visitor.wait_until(lambda: len(messages := visitor.console()) >= 1 and "Content Security Policy" in messages[0])


# MARK: - Keyboard


def test_a_user_signs_in_with_only_the_keyboard(
    sandboxed: SandboxedDeployment, native: NativeApplication, visitor: Visitor
) -> None:
    begun = native.begin()
    visitor.open(begun.url)
    visitor.see("sign in")
    providers = list(sandboxed.server.settings["providers"])
    for provider in providers:
        visitor.tab_to("button", "provider", provider)
    visitor.take_picture("focus")
    visitor.tab_to("button", "provider", "")
    for _ in providers:
        visitor.chord(Keys.SHIFT, Keys.TAB)
    assert visitor.focus() == Focus("button", "provider", "yahoo.com")
    visitor.key(Keys.ENTER)
    visitor.see("consent")
    visitor.tab_to("input", "user", "alice")
    visitor.key(Keys.ARROW_DOWN)
    assert visitor.focus() == Focus("input", "user", "bjorn")
    visitor.tab_to("button", "decision", "allow")
    visitor.key(Keys.SPACE)
    visitor.see("application")
    body = redeemed(native.redeem(begun, native.answer_to(begun)["code"]), sandboxed.account)
    assert body["provider_uid"] == BJORN["yahoo.com"]


def test_a_user_signs_a_device_in_with_only_the_keyboard(
    sandboxed: SandboxedDeployment, visitor: Visitor, tv: Television
) -> None:
    visitor.open(tv.verification_uri)
    visitor.see("enter code")
    visitor.tab_to("input", "user_code", "")
    visitor.key("wrong", Keys.ENTER)
    visitor.see("code problem")
    assert visitor.focus() == Focus("input", "user_code", "wrong"), "the field with the problem has the focus"
    visitor.chord(Keys.CONTROL, "a")
    visitor.key(tv.user_code.replace("-", "").lower())
    visitor.tab_to("button", None, "")
    visitor.key(Keys.ENTER)
    visitor.see("confirm")
    visitor.tab_to("button", "provider", "yahoo.com")
    visitor.key(Keys.ENTER)
    visitor.see("consent")
    visitor.tab_to("input", "user", "alice")
    visitor.tab_to("button", "decision", "allow")
    visitor.key(Keys.ENTER)
    visitor.see("approve")
    visitor.tab_to("button", "decision", "approve")
    visitor.take_picture("focus")
    visitor.tab_to("button", "decision", "deny")
    visitor.chord(Keys.SHIFT, Keys.TAB)
    assert visitor.focus() == Focus("button", "decision", "approve")
    visitor.key(Keys.ENTER)
    visitor.see("done")
    assert redeemed(tv.poll(), sandboxed.account)["uid"] == "yahoo.com:ALICEWJNWVNQD4GXZ5NGMZUST4"


# MARK: - Devices


def test_a_device_is_signed_in_while_it_polls(sandboxed: SandboxedDeployment, visitor: Visitor, tv: Television) -> None:
    refused(tv.poll(), 400, "authorization_pending")
    visitor.open(tv.begun["verification_uri_complete"])
    visitor.see("enter code")
    assert visitor.find("#user_code").get_attribute("value") == tv.user_code
    visitor.find("button.primary").click()
    visitor.see("confirm")
    assert visitor.shape()["heading"] == "Sign in to Living Room TV on your device?"
    assert visitor.find(".code").text == tv.user_code
    visitor.choose_provider("yahoo.com")
    visitor.allow("bjorn")
    visitor.see("approve")
    assert visitor.find(".panel").text == "Björn Ångström, björn@example.com\nYahoo"
    refused(tv.poll(), 400, "authorization_pending")
    visitor.press("decision", "approve")
    visitor.see("done")
    body = redeemed(tv.poll(patient=False), sandboxed.account)
    assert (body["provider"], body["provider_uid"]) == ("yahoo.com", BJORN["yahoo.com"])
    assert "oauth" not in body
    refused(tv.poll(patient=False), 400, "replayed")


def test_a_user_refuses_a_device_on_the_page_of_the_code(visitor: Visitor, tv: Television) -> None:
    visitor.open(tv.verification_uri)
    visitor.see("enter code")
    visitor.enter_code(tv.user_code)
    visitor.see("confirm")
    visitor.press("decision", "deny")
    visitor.see("refused")
    refused(tv.poll(), 400, "access_denied")


def test_a_user_refuses_a_device_on_the_last_page(visitor: Visitor, tv: Television) -> None:
    _go_to_approval(visitor, tv)
    visitor.press("decision", "deny")
    visitor.see("refused")
    refused(tv.poll(), 400, "access_denied")


def test_a_refusal_at_the_provider_is_shown_and_links_to_the_code(visitor: Visitor, tv: Television) -> None:
    visitor.open(tv.verification_uri)
    visitor.see("enter code")
    visitor.enter_code(tv.user_code)
    visitor.see("confirm")
    visitor.choose_provider("yahoo.com")
    visitor.see("consent")
    visitor.press("decision", "deny")
    visitor.see("problem")
    assert visitor.shape()["heading"] == "Permission was not given"
    # The page shows the same result as the device gets.
    assert "get a new code on your device" in visitor.find(".lead").text
    refused(tv.poll(), 400, "access_denied")
    visitor.find("a").click()
    visitor.see("enter code")


@pytest.mark.parametrize("decision", ["approve", "deny"])
@pytest.mark.parametrize("way", ["back", "reload"])
def test_the_last_page_of_a_device_is_the_same_after_a_reload(
    visitor: Visitor, tv: Television, decision: str, way: str
) -> None:
    """A form that is posted twice has the same page, and the page before it says that the flow has ended."""
    _go_to_approval(visitor, tv)
    visitor.press("decision", decision)
    last = {"approve": "done", "deny": "refused"}[decision]
    visitor.see(last)
    if way == "back":
        visitor.back()
        visitor.see("problem")
        assert visitor.shape()["heading"] == "This sign-in has ended"
    else:
        visitor.reload()
        visitor.see(last)
    assert tv.poll().body.get("error") == (None if decision == "approve" else "access_denied")


def test_a_code_that_another_browser_confirmed_is_taken(
    sandboxed: SandboxedDeployment, launch: Launch, visitor: Visitor, tv: Television
) -> None:
    """RFC 8628 section 5.4: a user who was sent the code is warned that another person's device has it."""
    tab = visitor.tab
    visitor.open(tv.verification_uri)
    visitor.see("enter code")
    visitor.enter_code(tv.user_code)
    visitor.see("confirm")
    with launch().visitor("a code that another browser confirmed") as other:
        other.open(tv.verification_uri)
        other.see("enter code")
        other.enter_code(tv.user_code)
        other.see("confirm")
        other.choose_provider("yahoo.com")
        other.see("consent")
        visitor.go_to_tab(tab)
        visitor.choose_provider("yahoo.com")
        visitor.see("problem")
        assert visitor.shape()["heading"] == "This code is in use in another browser"
    refused(tv.poll(), 400, "authorization_pending")


# MARK: - Steps


def _go_to_approval(visitor: Visitor, tv: Television) -> None:
    visitor.open(tv.verification_uri)
    visitor.see("enter code")
    visitor.enter_code(tv.user_code)
    visitor.see("confirm")
    visitor.choose_provider("yahoo.com")
    visitor.allow("alice")
    visitor.see("approve")


def _approve(visitor: Visitor, tv: Television) -> None:
    _go_to_approval(visitor, tv)
    visitor.press("decision", "approve")
    visitor.see("done")
