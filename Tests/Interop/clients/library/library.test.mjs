// What the list of cases cannot say: cancellation, timeouts, storage, and the listener on loopback.

import assert from "node:assert/strict";
import { once } from "node:events";
import { request } from "node:http";
import { test } from "node:test";
import { inspect } from "node:util";

// As in Node.js 18, where only the module has it.
delete globalThis.crypto;
const { createClient, TokenExchangeError, visiting } = await import("token-exchange-client");
const { loopback, openInDefaultBrowser } = await import("token-exchange-client/loopback");

const issuer = "https://auth.example.com";
const token = { access_token: "t", uid: "u", provider: "yahoo.com" };
const redirectUri = "com.example.app:/oauth";

/** A client of a server with one response, and the requests that it sent. */
function make(options = {}, { status = 200, body = token, timing } = {}) {
  const sent = [];
  const client = createClient({
    server: issuer, clientId: "my-app", getIdToken: () => "id-token",
    fetch: async (url, init) => {
      sent.push({ path: url.slice(issuer.length), ...init });
      return new Response(JSON.stringify(url.endsWith("/par") ? { request_uri: "urn:1" } : body), { status });
    },
    ...options,
  }, timing);
  return { client, sent };
}

const parameters = (url) => Object.fromEntries(new URL(url).searchParams);
const redirectOf = (url, changes = {}) => {
  const { redirect_uri: uri, state } = parameters(url);
  return `${uri}?${new URLSearchParams({ code: "c", state, iss: issuer, ...changes })}`;
};
const fails = (promise, reason, code) =>
  assert.rejects(promise, (error) => {
    assert(error instanceof TokenExchangeError, inspect(error));
    assert.deepEqual([error.reason, error.code], [reason, code]);
    return true;
  });
const never = new Promise(() => {});

// MARK: - Cancellation and time

test("A call whose signal has aborted sends nothing", async () => {
  const { client, sent } = make();
  await fails(client.account({ signal: AbortSignal.abort() }), "cancelled", "auth/user-cancelled");
  assert.equal(sent.length, 0);
});

test("A signal ends a request, and cancels it", async () => {
  const ending = new AbortController();
  let inner;
  const { client } = make({
    fetch: (_, { signal }) => {
      inner = signal;
      ending.abort();
      return never;
    },
  });
  await fails(client.signInAnonymously({ signal: ending.signal }), "cancelled", "auth/user-cancelled");
  assert(inner.aborted);
});

test("A signal ends the wait for the ID token, for the next try, for a device and for a browser", async () => {
  const waits = {
    token: (end) => [make({ getIdToken: () => (end(), never) }).client, "account", {}],
    try: (end) => {
      const timing = { jitter: () => (setImmediate(end), 20), pause: () => never };
      return [make({}, { status: 503, body: { retry: "same" }, timing }).client, "signInAnonymously", {}];
    },
    browser: (end) => [
      make({ browser: visiting({ redirectUri, visit: () => (end(), never) }) }).client, "signIn", { provider: "yahoo.com" },
    ],
  };
  for (const wait of Object.values(waits)) {
    const ending = new AbortController();
    const [client, call, options] = wait(() => ending.abort());
    await fails(client[call]({ ...options, signal: ending.signal }), "cancelled", "auth/user-cancelled");
  }
  const ending = new AbortController();
  const grant = { device_code: "d", user_code: "W", verification_uri: "v", expires_in: 600 };
  const states = make({}, { body: grant }).client.deviceSignIn({ signal: ending.signal });
  assert.equal((await states.next()).value.code.userCode, "W");
  const next = states.next();
  ending.abort();
  await fails(next, "cancelled", "auth/user-cancelled");
  assert.equal((await states.next()).done, true);
});

test("A server that does not respond in time is a network error", async () => {
  const { client } = make({ timeout: 1, fetch: () => never });
  await fails(client.signInAnonymously(), "network_failed", "auth/network-request-failed");
});

// MARK: - Errors

test("No text of an error shows the handle of a pending credential", async () => {
  const { client } = make({}, { status: 409, body: { error: "invalid_request", reason: "r", pending_credential: "secret-1" } });
  const error = await client.signInAnonymously().catch((error) => error);
  assert.equal(error.pendingCredential, "secret-1");
  assert.equal(error.error, "invalid_request");
  assert.equal(String(error), "r (auth/internal-error): The server responded with the status 409.");
  assert(!(inspect(error) + JSON.stringify(error) + error.stack).includes("secret"));
});

test("A page whose origin the configuration lacks, and a redirect that a browser does not follow, are named", async () => {
  const failed = await make({ fetch: () => { throw new TypeError("Failed to fetch"); } }).client.signInAnonymously().catch((error) => error);
  assert.equal(
    failed.message,
    "The server did not respond, or, in a web page, origins of the client in its configuration lacks the origin of the page.");
  const redirect = { ok: false, status: 0, headers: new Headers(), text: async () => "" };
  const error = await make({ fetch: async () => redirect }).client.signInAnonymously().catch((error) => error);
  assert.match(error.message, /^The response \(a redirect\) is not the JSON of a token-exchange server: the server's URL must be/);
});

test("The error of a function of the application is the cause", async () => {
  const cause = new Error("signed out");
  const thrower = () => { throw cause; };
  for (const [options, reason] of [
    [{ getIdToken: thrower }, "token_unavailable"], [{ getAppCheckToken: thrower }, "token_unavailable"],
    [{ fetch: thrower }, "network_failed"],
  ]) {
    const error = await make(options).client.account().catch((error) => error);
    assert.deepEqual([error.reason, error.cause], [reason, cause]);
    assert.equal(error.message.endsWith("that returns the token failed: signed out"), reason === "token_unavailable");
  }
  const browser = visiting({ redirectUri, visit: thrower });
  const error = await make({ browser }).client.signIn().catch((error) => error);
  assert.deepEqual([error.reason, error.cause], ["browser_failed", cause]);
  await fails(make().client.signIn(), "browser_failed", "auth/operation-not-supported-in-this-environment");
});

test("A user who closes the browser has cancelled", async () => {
  const browser = visiting({ redirectUri, visit: () => null });
  await fails(make({ browser }).client.signIn(), "cancelled", "auth/user-cancelled");
});

test("A browser recognizes the redirect of its flow", async () => {
  const browser = visiting({
    redirectUri,
    visit: (url, { isRedirect }) => {
      assert.equal(isRedirect(redirectOf(url, { state: "another" })), false);
      assert.equal(isRedirect(redirectOf(url)), true);
      return redirectOf(url);
    },
  });
  assert.equal((await make({ browser }).client.signIn()).uid, "u");
});

test("Every flow has another state and another verifier", async () => {
  const seen = new Set();
  const visit = (url) => void seen.add(parameters(url).state).add(parameters(url).code_challenge);
  const browser = visiting({ redirectUri, visit });
  for (let count = 0; count < 3; count++) await make({ browser }).client.signIn().catch(() => {});
  assert.equal(seen.size, 6);
});

// MARK: - Flows that survive a reload

class Memory extends Map {
  getItem = async (key) => this.get(key) ?? null;
  setItem = async (key, value) => void this.set(key, value);
  removeItem = async (key) => void this.delete(key);
}

/** Starts a flow, and returns the URL that was opened. */
async function started(storage, options = {}) {
  let opened;
  await make({ storage }).client.startRedirect({ redirectUri, navigate: (url) => { opened = url; }, ...options });
  return opened;
}

test("A flow is completed by another instance with the same storage, once", async () => {
  const storage = new Memory();
  const url = redirectOf(await started(storage, { provider: "yahoo.com" }));
  const { client, sent } = make({ storage });
  const results = await Promise.all([client.completeRedirect({ url }), client.completeRedirect({ url })]);
  assert.deepEqual(results.map((result) => result?.customToken ?? null), ["t", null]);
  assert.deepEqual(sent.map(({ path }) => path), ["/token"]);
  assert.equal(await client.completeRedirect({ url }), null);
  assert.equal(storage.size, 0);
});

test("A redirect with a wrong state is ignored, and the flow stays", async () => {
  const storage = new Memory();
  const opened = await started(storage);
  const { client, sent } = make({ storage });
  for (const state of ["another", "__proto__", ""]) {
    assert.equal(await client.completeRedirect({ url: redirectOf(opened, { state }) }), null);
  }
  assert.equal(await client.completeRedirect({ url: redirectUri }), null);
  assert.equal(await client.completeRedirect(), null);
  assert.equal(sent.length, 0);
  assert.equal((await client.completeRedirect({ url: redirectOf(opened) })).uid, "u");
});

test("Two flows are in the storage, and one that was left does not stay for ever", async () => {
  const storage = new Memory();
  const [first, second] = [await started(storage), await started(storage)];
  const [[key, text]] = [...storage];
  const flows = JSON.parse(text);
  assert.equal(Object.keys(flows).length, 2);
  flows[parameters(first).state].startedAt -= 3_600_001;
  storage.set(key, JSON.stringify(flows));
  const { client } = make({ storage });
  assert.equal(await client.completeRedirect({ url: redirectOf(first) }), null);
  assert.equal((await client.completeRedirect({ url: redirectOf(second) })).uid, "u");
});

test("A flow with an intent is pushed with the ID token, and completed at the endpoint of the intent", async () => {
  const storage = new Memory();
  const { client, sent } = make({ storage });
  let opened;
  await client.startRedirect({ intent: "link", provider: "twitter.com", redirectUri, navigate: (url) => { opened = url; } });
  assert.deepEqual(parameters(opened), { client_id: "my-app", request_uri: "urn:1" });
  const { state } = Object.fromEntries(new URLSearchParams(sent[0].body));
  const url = `${redirectUri}?${new URLSearchParams({ code: "c", state, iss: issuer })}`;
  const result = await client.completeRedirect({ url });
  assert.equal(result.intent, "link");
  assert.deepEqual(sent.map(({ path, headers }) => [path, headers.Authorization]), [
    ["/par", "Bearer id-token"], ["/v1/account/link", "Bearer id-token"],
  ]);
});

test("A flow that came from another server ends with an error", async () => {
  const storage = new Memory();
  const url = redirectOf(await started(storage), { iss: "https://evil.example" });
  const { client, sent } = make({ storage });
  await fails(client.completeRedirect({ url }), "issuer_mismatch", "auth/invalid-credential");
  assert.equal(sent.length, 0);
});

test("Without Web Crypto the error says so", async () => {
  const { crypto } = globalThis;
  globalThis.crypto = { getRandomValues: crypto.getRandomValues };
  const browser = visiting({ redirectUri, visit: () => null });
  await fails(make({ browser }).client.signIn(), "browser_failed", "auth/operation-not-supported-in-this-environment");
  globalThis.crypto = crypto;
});

test("A storage that fails is an error, and nothing is opened", async () => {
  const cause = new Error("full");
  const storage = { getItem: () => null, setItem: () => { throw cause; } };
  const navigate = () => assert.fail("opened");
  const error = await make({ storage }).client.startRedirect({ redirectUri, navigate }).catch((error) => error);
  assert.deepEqual([error.reason, error.cause], ["browser_failed", cause]);
});

// MARK: - Loopback

/** Sends a request to a URL of the listener, as a browser does; returns the status, the header and the page. */
async function visit(url, { method = "GET", host } = {}) {
  const sending = request(url, { method, headers: host && { Host: host }, agent: false }).end();
  const [response] = await once(sending, "response");
  let page = "";
  for await (const part of response) page += part;
  return { status: response.statusCode, header: response.headers, page };
}

test("Other requests are answered with 404 and do not end the flow; the redirect ends it and the listener", async () => {
  let final;
  const browser = loopback({
    page: "Done <here> & now.",
    open: async (url) => {
      const { redirect_uri: uri } = parameters(url);
      assert.match(uri, /^http:\/\/127\.0\.0\.1:\d+\/callback$/);
      for (const [address, options] of [
        [redirectOf(url, { state: "another" })], [`${uri}?code=c&iss=${issuer}`],
        [redirectOf(url).replace("/callback", "/other")],
        [uri], [redirectOf(url), { method: "POST" }], [redirectOf(url), { host: "evil.example" }],
        [`${redirectOf(url)}&state=another`],
      ]) {
        assert.equal((await visit(address, options)).status, 404, `${address} ${inspect(options)}`);
      }
      final = redirectOf(url);
      const { status, header, page } = await visit(final);
      assert.equal(status, 200);
      assert(page.includes("<p>Done &lt;here> &amp; now.</p>"), page);
      assert.equal(header["content-security-policy"], "default-src 'none'");
      assert.equal(header["cache-control"], "no-store");
      assert.equal(header["referrer-policy"], "no-referrer");
    },
  });
  assert.equal((await make({ browser }).client.signIn({ provider: "yahoo.com" })).uid, "u");
  await assert.rejects(visit(final), { code: "ECONNREFUSED" });
});

test("The listener ends with the time of the user, with a signal, and if no browser can be opened", async () => {
  const addresses = [];
  const open = (url) => void addresses.push(parameters(url).redirect_uri);
  await fails(make({ browser: loopback({ timeout: 1, open }) }).client.signIn(), "timed_out", "auth/timeout");
  const ending = new AbortController();
  const aborting = loopback({ open: (url) => (open(url), ending.abort()) });
  await fails(make({ browser: aborting }).client.signIn({ signal: ending.signal }), "cancelled", "auth/user-cancelled");
  process.env.PATH = "/nowhere";
  const failing = loopback({ open: (url) => (open(url), openInDefaultBrowser(url)) });
  await fails(make({ browser: failing }).client.signIn(), "browser_failed", "auth/operation-not-supported-in-this-environment");
  for (const address of addresses) await assert.rejects(visit(address), { code: "ECONNREFUSED" });
});
