// What the pages share. The issuer is in a data attribute; the browser returns to the page with a query.

export const server = document.body.dataset.server;
export const scope = document.body.dataset.scope ?? null;
export const redirectURI = location.origin + "/callback";
export const arrived = location.pathname === "/callback";

/** Shows the end of a sign-in to the test: the token, or the message of the error. */
export function report(signIn) {
  signIn.then(
    token => { if (token) window.outcome = { token }; },
    error => { window.outcome = { error: String(error) }; });
}
