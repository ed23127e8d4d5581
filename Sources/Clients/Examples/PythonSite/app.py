"""A web site whose pages are made on the server. README.md says how to start it."""

import os
import secrets
from urllib.parse import parse_qsl, urlencode, urlsplit

import requests
from authlib.integrations.flask_client import OAuth, OAuthError
from flask import Flask, abort, redirect, render_template, request, session, url_for

# The defaults are those of the sandbox. The client has `redeem: true`: a session comes in place of a custom token.
SERVER = os.environ.get("SERVER", "http://127.0.0.1:8080")
CLIENT = os.environ.get("CLIENT", "without-sdk")

app = Flask(__name__)
app.secret_key = os.environ.get("SESSION_KEY") or secrets.token_bytes(32)
app.config.update(SESSION_COOKIE_SAMESITE="Lax", SESSION_COOKIE_SECURE=SERVER.startswith("https:"))
oauth = OAuth(app)
oauth.register(
    "auth",
    client_id=CLIENT,
    server_metadata_url=f"{SERVER}/.well-known/oauth-authorization-server",
    client_kwargs={"code_challenge_method": "S256", "token_endpoint_auth_method": "none"},
)

# The cookie, which the browser can read, has only the key. A site with several processes needs a database here.
sessions: dict[str, dict[str, str]] = {}


class Refused(Exception):
    """An error of the server, as its JSON."""


def user() -> dict[str, str]:
    return sessions.get(session.get("key", "")) or abort(401, "Sign in first.")


def call(method: str, path: str, **body):
    """Calls the server for the user who is signed in."""
    bearer = {"Authorization": f"Bearer {user()['id_token']}"}
    response = requests.request(method, SERVER + path, headers=bearer, timeout=60, **body)
    answer = response.json()
    if not response.ok:
        raise Refused(answer)
    return answer


def enter(uid: str, id_token: str):
    """Begins a session. Its key is new, so that one that was set before the sign-in is worth nothing."""
    sessions.pop(session.get("key", ""), None)
    session.clear()
    session["key"] = secrets.token_urlsafe(32)
    sessions[session["key"]] = {"uid": uid, "id_token": id_token}
    return redirect(url_for("home"))


def page(**values):
    """The only page, which shows the uid of the session and these values."""
    return render_template("page.html", uid=sessions.get(session.get("key", ""), {}).get("uid"), **values)


@app.before_request
def refuse_forms_of_other_sites():
    if request.method == "POST" and request.headers.get("Origin") != request.host_url.rstrip("/"):
        abort(403, "The form is not from this site.")


@app.errorhandler(OAuthError)
def show_refused_sign_in(error):
    # Any page can send a browser to /callback with an error of its own, so that its text is not shown.
    is_redirect = "error" in request.args
    return page(message="The sign-in was not finished." if is_redirect else error.description or error.error), 400


@app.errorhandler(Refused)
def show_refused_call(error):
    (answer,) = error.args
    if answer.get("reason") == "credential_already_in_use":
        user()["pending_credential"] = answer["pending_credential"]
        return page(conflict=answer["existing_uid"]), 409
    outdated = ("auth/requires-recent-login", "auth/multi-factor-auth-required", "auth/user-token-expired")
    return page(message=answer["error_description"], must_sign_in=answer.get("code") in outdated), 400


@app.get("/")
def home():
    return page()


@app.get("/sign-in")
def sign_in():
    return oauth.auth.authorize_redirect(url_for("callback", _external=True), provider=request.args.get("provider", ""))


@app.get("/callback")
def callback():
    if request.args.get("iss") != SERVER:  # RFC 9207
        abort(400, "The redirect comes from another server.")
    link = session.get("link")
    if not link or link["state"] != request.args.get("state"):
        token = oauth.auth.authorize_access_token()  # compares the state, and sends the PKCE verifier
        return enter(token["uid"], token["access_token"])
    del session["link"]
    if "error" in request.args:
        return page(message=request.args.get("error_description", request.args["error"])), 400
    proof = {"type": "handoff", "code": request.args["code"], "redirect_uri": url_for("callback", _external=True)}
    credential = proof | {"code_verifier": link["code_verifier"]}
    linked = call("POST", "/v1/account/link", json={"client_id": CLIENT, "credential": credential})
    return enter(linked["uid"], linked["firebase_id_token"])


@app.get("/settings")
def settings():
    return page(identities=call("GET", f"/v1/account?{urlencode({'client_id': CLIENT})}")["identities"])


@app.post("/link")
def link():
    """Pushes the request together with the ID token (RFC 9126), so that it can end only for the account of this user."""
    begun = oauth.auth.create_authorization_url(
        url_for("callback", _external=True), intent="link", provider=request.form["provider"]
    )
    pushed = call("POST", "/par", data=dict(parse_qsl(urlsplit(begun["url"]).query)))
    session["link"] = {name: begun[name] for name in ("state", "code_verifier")}
    return redirect(f"{SERVER}/authorize?" + urlencode({"client_id": CLIENT, "request_uri": pushed["request_uri"]}))


@app.post("/merge")
def merge():
    pending = user().pop("pending_credential", None) or abort(400, "There is no conflict to settle.")
    merged = call("POST", "/v1/account/merge", json={"client_id": CLIENT, "pending_credential": pending})
    return enter(merged["account"]["uid"], merged["firebase_id_token"])


@app.post("/second-factor")
def second_factor():
    return page(factor=call("POST", "/v1/account/factors", json={"client_id": CLIENT, "type": "totp"}))


@app.post("/second-factor/confirm")
def confirm_second_factor():
    code = {name: request.form[name] for name in ("factor_id", "totp")}
    return page(codes=call("POST", "/v1/account/factors/confirm", json={"client_id": CLIENT} | code)["recovery_codes"])


@app.post("/sign-out")
def sign_out():
    sessions.pop(session.get("key", ""), None)
    session.clear()
    return redirect(url_for("home"))
