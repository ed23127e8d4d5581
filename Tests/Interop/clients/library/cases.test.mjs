// Runs the list of cases that the Swift library runs too (Tests/Server/Client/ClientCaseTests.swift).
//
// In an expected text $state, $challenge and $verifier stand for the values of the flow: the verifier must be that of the
// challenge, by S256. `times` repeats an exchange. Without `pauses` there must be none. An
// `appCheckToken` that is `null` fails.

import assert from "node:assert/strict";
import { createHash, webcrypto } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { createClient, TokenExchangeError, visiting } from "token-exchange-client";

// Node.js 18 has Web Crypto only as a module.
globalThis.crypto ??= webcrypto;

const { cases } = JSON.parse(readFileSync(new URL("cases.json", import.meta.url)));

/** The members of a value, with times in seconds, as they are in the list. */
const plain = (value) => JSON.parse(JSON.stringify(value, function (name, member) {
  return this[name] instanceof Date ? this[name].getTime() / 1000 : member;
}));

test("Every call that both libraries have is in the list", () => {
  const calls = Object.keys(createClient({ server: "https://auth.example.com", clientId: "my-app" }));
  const only = ["startRedirect", "completeRedirect"];
  assert.deepEqual([...new Set(cases.map(({ call }) => call)), ...only].sort(), calls.sort());
});

for (const { name, call, arguments: given = {}, client: changes = {}, browser, exchanges, pauses = [], result, error } of cases) {
  test(name, async () => {
    const flow = {};
    const filled = (expected) => JSON.parse(JSON.stringify(expected), (_, text) =>
      typeof text === "string" ? text.replace(/\$(state|challenge|verifier)/g, (_, name) => flow[name] ?? "") : text);
    const expected = exchanges.flatMap((exchange) => Array(exchange.times ?? 1).fill(exchange));
    const pausesTaken = [];
    const { server = "https://auth.example.com", clientId = "my-app", idToken = "id-token", appCheckToken } = changes;

    async function fetch(url, { method, headers, body, redirect }) {
      const exchange = expected.shift();
      assert(exchange, `${method} ${url} was not expected`);
      const { request, response } = exchange;
      assert.equal(`${method} ${url}`, `${request.method} ${server.replace(/\/$/, "")}${request.path}`);
      assert.equal(headers.Authorization, request.bearer && `Bearer ${request.bearer}`);
      assert.equal(headers["X-Firebase-AppCheck"], request.appCheck);
      assert.equal(redirect, "manual");
      const isForm = request.form || request.text;
      const type = request.json ? "application/json" : isForm ? "application/x-www-form-urlencoded" : undefined;
      assert.equal(headers["Content-Type"], type);
      if (request.text) assert.equal(body, request.text);
      if (!type) assert.equal(body, undefined);
      const sent = request.json ? JSON.parse(body) : request.form && Object.fromEntries(new URLSearchParams(body));
      learn(sent);
      if (sent) assert.deepEqual(sent, filled(request.json ?? request.form));
      if (response === "lost") throw new TypeError("fetch failed");
      const text = response.text ?? JSON.stringify(response.body);
      return new Response(text, { status: response.status ?? 200, headers: response.header });
    }

    function learn(members = {}) {
      flow.state ??= members.state;
      flow.challenge ??= members.code_challenge;
      const verifier = members.code_verifier ?? members.credential?.code_verifier;
      if (!flow.challenge || !verifier) return;
      assert.equal(createHash("sha256").update(verifier).digest("base64url"), flow.challenge);
      for (const secret of [verifier, flow.state]) assert.match(secret, /^[A-Za-z0-9_-]{43}$/);
      flow.verifier = verifier;
    }

    const client = createClient(
      {
        server, clientId, fetch,
        getIdToken: () => idToken,
        getAppCheckToken: appCheckToken !== undefined && (() => appCheckToken ?? Promise.reject(new Error("no attestation"))),
        browser: browser && visiting({
          redirectUri: "com.example.app:/oauth",
          visit: (url) => {
            const parameters = Object.fromEntries(new URL(url).searchParams);
            learn(parameters);
            assert(url.startsWith("https://auth.example.com/authorize?"));
            if (browser.opened) assert.deepEqual(parameters, filled(browser.opened));
            return filled(browser.redirect);
          },
        }),
      },
      { pause: async (seconds) => { pausesTaken.push(seconds); }, jitter: () => 0.5 });

    let found, thrown;
    try {
      if (call === "deviceSignIn") {
        found = [];
        for await (const { state, code, result } of client.deviceSignIn(given)) {
          found.push(state === "code" ? { state, code } : { state, result });
        }
      } else {
        found = await client[call](given);
      }
    } catch (caught) {
      if (!(caught instanceof TokenExchangeError)) throw caught;
      const { name, error: oauthError, cause, ...members } = caught;
      assert.equal(name, "TokenExchangeError");
      const { pendingCredential, message } = caught;
      // The text of an error is in the list if it is the server's, or the same in both libraries.
      thrown = plain({ ...members, pendingCredential, message: error && "message" in error ? message : undefined });
    }
    if (error) {
      assert(thrown, `it returned ${JSON.stringify(found)}`);
      assert.deepEqual(thrown, error);
    } else {
      assert.equal(thrown, undefined);
      assert.deepEqual(found === undefined ? undefined : plain(found), result);
    }
    assert.deepEqual(pausesTaken, pauses);
    assert.deepEqual(expected, [], "Not every request was sent.");
  });
}
