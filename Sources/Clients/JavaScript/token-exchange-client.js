// The types, and what each call does, are in token-exchange-client.d.ts.

/** The number of times that a request is sent at most. */
const attempts = 3;
/** A longer Retry-After, in seconds, is left to the application: the user would see no progress. */
const longestPause = 20;
/** The time in milliseconds after which a redirect is not accepted any more. */
const lifetime = 3_600_000;

export class TokenExchangeError extends Error {
  constructor(reason, code, message, { pendingCredential, cause, ...members } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    Object.assign(this, { name: "TokenExchangeError", reason, code, providers: [], factors: [], ...members });
    // The handle signs in: neither console.log nor JSON.stringify shows it.
    Object.defineProperty(this, "pendingCredential", { value: pendingCredential });
  }

  toString() {
    return `${this.reason} (${this.code}): ${this.message}`;
  }
}

const unsupported = "auth/operation-not-supported-in-this-environment";
const foreignResponse = (kind = "") =>
  `The response${kind} is not the JSON of a token-exchange server: the server's URL must be its public_url, and a proxy in front of `
  + "it may have responded.";
const unexpectedResponse = (message) => new TokenExchangeError("unexpected_response", "auth/internal-error", message);
const cancelled = (cause) =>
  new TokenExchangeError("cancelled", "auth/user-cancelled", "The call was cancelled.", { cause });
const insecureServer = () =>
  new TokenExchangeError(
    "insecure_server", "auth/argument-error", "The server's URL must be https, or http with a loopback address.");
const networkFailed = (message, cause) =>
  new TokenExchangeError("network_failed", "auth/network-request-failed", message, { cause });

/** The error of a function of the application, or of a browser. */
function foreign(error, other) {
  if (error instanceof TokenExchangeError) return error;
  return error?.name === "AbortError" ? cancelled(error) : other(error);
}

/** Runs `work` with a signal, which aborts at the end of the work, with the caller's signal, or after a time. */
async function limited(work, { signal, timeout, late }) {
  if (signal?.aborted) throw cancelled(signal.reason);
  const ending = new AbortController();
  let timer, abort;
  const interrupted = new Promise((_, reject) => {
    abort = () => reject(cancelled(signal.reason));
    signal?.addEventListener("abort", abort);
    if (timeout) timer = setTimeout(() => reject(late()), timeout);
  });
  try {
    return await Promise.race([work(ending.signal), interrupted]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
    ending.abort();
  }
}

const systemTiming = {
  pause: (seconds, signal) =>
    limited((ending) => new Promise((resolve) => {
      const timer = setTimeout(resolve, seconds * 1000);
      ending.addEventListener("abort", () => clearTimeout(timer));
    }), { signal }),
  // Clients that failed together do not return together.
  jitter: () => 0.5 + Math.random() / 2,
};

// MARK: - Responses. Unknown members are ignored, so that a newer server does not break this client.

function refuse() {
  throw unexpectedResponse(foreignResponse());
}

const string = (value) => (typeof value === "string" ? value : refuse());
const number = (value) => (typeof value === "number" ? value : refuse());
const boolean = (value) => (typeof value === "boolean" ? value : refuse());
const time = (seconds) => new Date(number(seconds) * 1000);
const list = (reader) => (value) => (Array.isArray(value) ? value.map((element) => reader(element)) : refuse());
const optional = (reader, otherwise) => (value) => (value === undefined || value === null ? otherwise : reader(value));
const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const camelCase = (name) => name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());
const snakeCase = (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Reads an object with these members, whose names become camel case. */
const object = (members) => (value) => {
  if (!isObject(value)) refuse();
  const found = {};
  for (const [name, reader] of Object.entries(members)) {
    const member = reader(value[name]);
    if (member !== undefined) found[camelCase(name)] = member;
  }
  return found;
};

const texts = (...names) => Object.fromEntries(names.map((name) => [name, optional(string)]));

const account = object({
  uid: string,
  anonymous: optional(boolean, false),
  created_at: optional(time),
  identities: optional(list(object({
    provider: string,
    ...texts("provider_uid", "email", "name", "picture", "managed_by"),
    linked_at: optional(time),
    last_used_at: optional(time),
  })), []),
});
const profile = object({
  ...texts("name", "given_name", "family_name", "email", "picture", "locale", "screen_name"),
  email_verified: optional(boolean, false),
});
const providerTokens = object({
  ...texts("access_token", "oauth_token_secret", "id_token", "refresh_token", "scope"),
  expires_in: optional(number),
});
const tokens = {
  ...texts("custom_token", "access_token", "firebase_id_token", "firebase_refresh_token"),
  firebase_expires_in: optional(number, 0),
};
const removedUser = optional((word) => (["deleted", "kept", "none"].includes(string(word)) ? word : undefined));

/** Replaces the tokens by the custom token, or by the session that a client with `redeem` has in its place. */
const withTokens = (members) => (value) => {
  const { customToken, accessToken, firebaseIdToken, firebaseRefreshToken, firebaseExpiresIn, ...others } =
    object({ ...tokens, ...members })(value);
  // At /token the custom token, or the Firebase ID token, is the access token.
  const idToken = firebaseIdToken ?? accessToken;
  if (firebaseRefreshToken !== undefined && idToken !== undefined) {
    return { ...others, session: { idToken, refreshToken: firebaseRefreshToken, expiresIn: firebaseExpiresIn } };
  }
  const token = customToken ?? accessToken;
  if (token === undefined) throw unexpectedResponse("The response contains no token.");
  return { ...others, customToken: token };
};

const signInResult = withTokens({
  uid: string,
  is_new_user: optional(boolean, false),
  linked: optional(boolean, false),
  provider: string,
  ...texts("provider_uid", "audience_proof"),
  profile: (value) => profile(value ?? {}),
  oauth: optional(providerTokens),
  provider_profile: (value) => (isObject(value) ? value : undefined),
  account: optional(account),
});
const mergeResult = withTokens({ account, merged_uid: optional(string), firebase_user: removedUser });

const errorAnswer = object({
  ...texts("error", "error_description", "reason", "code", "retry", "parameter", "message", "request_id"),
  ...texts("pending_credential", "existing_uid", "email"),
  providers: optional(list(string), []),
  factors: optional(list(string), []),
});

/** An error that the server sent. A response of a proxy in front of the server may lack every member. */
function serverError(answer, response) {
  let known = {};
  try {
    known = errorAnswer(answer);
  } catch {
    // It has the status only.
  }
  const { error, errorDescription, reason, code, retry, message, ...members } = known;
  const seconds = response.headers.get("Retry-After") ?? "";
  return new TokenExchangeError(
    reason ?? error ?? "unexpected_response", code ?? "auth/internal-error",
    errorDescription ?? (reason ?? error
      ? `The server responded with the status ${response.status}.`
      // In a browser, a redirect that is not followed has the status 0.
      : foreignResponse(response.status ? ` with the status ${response.status}` : " (a redirect)")),
    {
      ...members, error, status: response.status || undefined, userMessage: message,
      retry: ["same", "restart"].includes(retry) ? retry : undefined,
      retryAfter: /^\d{1,9}$/.test(seconds) ? Number(seconds) : undefined,
    });
}

// MARK: - Requests

/** Encodes a form (RFC 6749 §B): every octet except those of RFC 3986 §2.3. React Native has no whole URLSearchParams. */
function encodeForm(fields) {
  const encode = (text) =>
    encodeURIComponent(text).replace(/[!'()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`);
  return Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .join("&");
}

function decoded(text) {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return undefined;
  }
}

/** The parameters of a redirect. One that occurs twice counts as absent (RFC 6749 §3.1). */
function redirectParameters(redirect) {
  // web_message delivers them as an object; a URL is an object too.
  if (isObject(redirect) && !(redirect instanceof URL)) {
    return Object.fromEntries(Object.entries(redirect).filter(([, value]) => typeof value === "string"));
  }
  const found = Object.create(null);
  const query = /^[^?#]*\?([^#]*)/.exec(redirect)?.[1] ?? "";
  for (const [name, ...value] of query.split("&").map((pair) => pair.split("="))) {
    found[name] = name in found ? undefined : decoded(value.join("="));
  }
  return found;
}

/** Whether requests are encrypted, or do not leave the device (RFC 8252 §8.3, RFC 6761 §6.3). */
const isSecure = (server) =>
  /^https:\/\/[^/?#@\\]+(\/[^?#]*)?$/i.test(server)
  || /^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(:\d+)?(\/[^?#]*)?$/.test(server);

// MARK: - The proof of a flow

const base64url = (octets) =>
  btoa(String.fromCharCode(...octets)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

/** 256 random bits. */
function random() {
  if (!globalThis.crypto?.subtle) {
    throw new TokenExchangeError(
      "browser_failed", unsupported, "Web Crypto is missing. A page has it with https only, React Native with a polyfill only.");
  }
  return base64url(crypto.getRandomValues(new Uint8Array(32)));
}

/** The PKCE challenge S256 (RFC 7636 §4.2). */
const challengeOf = async (verifier) =>
  base64url(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier))));

// MARK: - The client

export function createClient(
  { server, clientId, browser: standardBrowser, getIdToken, getAppCheckToken, storage, fetch, timeout = 60_000 },
  { pause, jitter } = systemTiming
) {
  const issuer = server.replace(/\/$/, "");
  const client = { client_id: clientId };

  /** Returns the token of a function of the application. */
  async function token(source, code, advice) {
    const missing = (cause) => new TokenExchangeError(
      "token_unavailable", code,
      cause === undefined ? advice : `The function of the application that returns the token failed: ${cause?.message ?? cause}`,
      { cause });
    try {
      const found = await source?.();
      if (typeof found === "string") return found;
    } catch (error) {
      throw foreign(error, missing);
    }
    throw missing();
  }

  const idToken = () =>
    token(
      getIdToken, "auth/null-user",
      "This call is about the account of the user. Make the client with getIdToken, and sign the user in first.");
  const appCheckToken = () =>
    token(
      getAppCheckToken, "auth/firebase-app-check-token-is-invalid", "The application has no App Check token.");

  async function sendOnce({ method, path, json, form, isForUser }, signal) {
    if (!isSecure(server)) throw insecureServer();
    const headers = { Accept: "application/json" };
    if (isForUser) headers.Authorization = `Bearer ${await idToken()}`;
    if (getAppCheckToken) headers["X-Firebase-AppCheck"] = await appCheckToken();
    if (json) headers["Content-Type"] = "application/json";
    if (form) headers["Content-Type"] = "application/x-www-form-urlencoded";
    const body = json ? JSON.stringify(json) : form && encodeForm(form);
    let response, text;
    try {
      await limited(async (ending) => {
        response = await (fetch ?? globalThis.fetch)(issuer + path, {
          // The server sends no redirect to these requests, and the body of one contains credentials.
          method, headers, body, redirect: "manual", credentials: "omit", cache: "no-store", signal: ending,
        });
        text = await response.text();
      }, { signal, timeout, late: () => networkFailed(`The server did not respond within ${timeout} ms.`) });
    } catch (error) {
      throw foreign(error, (cause) => networkFailed(
        "The server did not respond, or, in a web page, origins of the client in its configuration lacks the origin of the page.",
        cause));
    }
    let answer;
    try {
      answer = JSON.parse(text);
    } catch {
      // `undefined` is no response of the server.
    }
    if (!response.ok) throw serverError(answer, response);
    return answer;
  }

  /** Sends a request, and again if the server says that it had no effect. */
  const send = (call, reader, signal) =>
    limited(async (ending) => {
      for (let attempt = 1; ; attempt++) {
        try {
          return reader(await sendOnce(call, ending));
        } catch (error) {
          const seconds = error.retryAfter ?? attempt * jitter();
          if (error.retry !== "same" || attempt === attempts || seconds > longestPause) throw error;
          await pause(seconds, ending);
        }
      }
    }, { signal });

  const post = (path, members, reader, signal) =>
    send({ method: "POST", path, json: { ...client, ...members } }, reader, signal);
  const postForm = (path, fields, reader, signal, isForUser = false) =>
    send({ method: "POST", path, form: fields, isForUser }, reader, signal);
  const postForUser = (path, members, reader, signal) =>
    send({ method: "POST", path, json: { ...client, ...members }, isForUser: true }, reader, signal);
  const ask = (method, path, reader, signal) =>
    send({ method, path: `${path}?${encodeForm(client)}`, isForUser: true }, reader, signal);

  // MARK: - Flows through the pages of the server (RFC 6749 §4.1, RFC 7636)

  const newFlow = (intent, redirectUri) => ({ state: random(), verifier: random(), intent, redirectUri });

  async function authorizationURL(flow, { provider, scopes = [], parameters }, signal) {
    if (!isSecure(server)) throw insecureServer();
    let fields = {
      ...parameters, ...client, response_type: "code", redirect_uri: flow.redirectUri, state: flow.state, provider,
      code_challenge: await challengeOf(flow.verifier), code_challenge_method: "S256",
      ...(scopes.length && { scope: scopes.join(" ") }),
    };
    if (flow.intent) {
      // Pushed together with the Firebase ID token (RFC 9126), so that no other account can finish the flow.
      const pushed = await postForm(
        "/par", { ...fields, intent: flow.intent }, object({ request_uri: string }), signal, true);
      fields = { ...client, request_uri: pushed.requestUri };
    }
    return `${issuer}/authorize?${encodeForm(fields)}`;
  }

  /** Reads the authorization response, and fetches the result with its code. */
  async function finish(flow, redirect, signal) {
    const { state, iss, code, error, error_description: description } = redirectParameters(redirect);
    if (state !== flow.state) {
      throw new TokenExchangeError(
        "state_mismatch", "auth/invalid-credential", "The redirect belongs to another flow.");
    }
    // RFC 9207 §2.4: another server may have sent the browser here to obtain a code of this one.
    if (iss !== issuer) {
      throw new TokenExchangeError(
        "issuer_mismatch", "auth/invalid-credential",
        `The redirect came from another server than ${issuer}, which must be its public_url.`);
    }
    const isConflict = error === "account_exists_with_different_credential";
    // The code of a conflict that the page could not settle: /token returns the pending credential.
    if (error !== undefined && !(isConflict && code !== undefined && !flow.intent)) {
      const firebaseCode =
        error === "access_denied" ? "auth/user-cancelled"
        : isConflict ? "auth/account-exists-with-different-credential" : "auth/internal-error";
      throw new TokenExchangeError(error, firebaseCode, description ?? "The server refused the sign-in.", { error });
    }
    if (code === undefined) throw unexpectedResponse("The redirect contains neither a code nor an error.");
    const grant = { code, redirect_uri: flow.redirectUri, code_verifier: flow.verifier };
    return flow.intent
      ? postForUser(`/v1/account/${flow.intent}`, { credential: { type: "handoff", ...grant } }, signInResult, signal)
      : postForm("/token", { grant_type: "authorization_code", ...client, ...grant }, signInResult, signal);
  }

  async function inBrowser(intent, { browser = standardBrowser, signal, ...options }) {
    if (!browser) {
      throw new TokenExchangeError(
        "browser_failed", unsupported, "No browser is configured. Make the client with one, or use deviceSignIn.");
    }
    const flow = newFlow(intent);
    return limited(async (ending) => {
      let redirect;
      try {
        // A pop-up window is opened before the first await: browsers block others.
        redirect = await browser({
          issuer,
          signal: ending,
          isRedirect: (redirect) => redirectParameters(redirect).state === flow.state,
          begin: (redirectUri, parameters) => {
            flow.redirectUri = redirectUri;
            return authorizationURL(flow, { ...options, parameters: { ...options.parameters, ...parameters } }, ending);
          },
        });
      } catch (error) {
        throw foreign(error, (cause) =>
          new TokenExchangeError("browser_failed", unsupported, "The browser failed. The cause says why.", { cause }));
      }
      if (redirect === undefined || redirect === null) throw cancelled();
      return finish(flow, redirect, ending);
    }, { signal });
  }

  /** Sends a credential of the application, or runs a flow in a browser. */
  async function prove(intent, { provider, credential, signal, ...options } = {}) {
    if (!credential) return inBrowser(intent, { provider, signal, ...options });
    const members = Object.fromEntries(Object.entries(credential).map(([name, value]) => [snakeCase(name), value]));
    return intent
      ? postForUser(`/v1/account/${intent}`, { provider, credential: members }, signInResult, signal)
      : post("/v1/exchange", { provider, credential: members }, signInResult, signal);
  }

  // MARK: - Flows that survive a reload

  const key = `token-exchange ${clientId}`;
  let lastUse = Promise.resolve();

  /** Changes the flows in the storage, by state. Two calls at the same time do not see the same flow. */
  function withFlows(change) {
    const use = lastUse.then(async () => {
      try {
        const place = storage ?? globalThis.sessionStorage;
        const stored = JSON.parse((await place.getItem(key)) ?? "{}");
        const flows = Object.fromEntries(
          Object.entries(stored).filter(([, { startedAt }]) => Date.now() - startedAt < lifetime));
        const result = change(flows);
        await (Object.keys(flows).length ? place.setItem(key, JSON.stringify(flows)) : place.removeItem(key));
        return result;
      } catch (cause) {
        throw new TokenExchangeError(
          "browser_failed", unsupported,
          "The storage failed. Without sessionStorage, make the client with a storage of the platform.", { cause });
      }
    });
    lastUse = use.catch(() => {});
    return use;
  }

  async function startRedirect({ intent, redirectUri, navigate, signal, ...options }) {
    const flow = newFlow(intent, redirectUri ?? location.origin + location.pathname);
    const url = await authorizationURL(flow, options, signal);
    await withFlows((flows) => {
      flows[flow.state] = { ...flow, startedAt: Date.now() };
    });
    await (navigate ?? ((url) => location.assign(url)))(url);
  }

  async function completeRedirect({ url, signal } = {}) {
    const redirect = url ?? globalThis.location?.href ?? "";
    const { state } = redirectParameters(redirect);
    const flow = state && await withFlows((flows) => {
      const found = Object.hasOwn(flows, state) ? flows[state] : undefined;
      delete flows[state];
      return found;
    });
    if (!flow) return null;
    // A reload does not send the code again, and it does not stay in the history.
    if (!url) {
      const address = new URL(location.href);
      for (const name of ["code", "state", "iss", "error", "error_description"]) address.searchParams.delete(name);
      history.replaceState(history.state, "", address);
    }
    return { intent: flow.intent, ...(await finish(flow, redirect, signal)) };
  }

  // MARK: - The device grant (RFC 8628)

  async function* deviceSignIn({ provider, scopes = [], signal } = {}) {
    const { deviceCode, interval: suggested, ...code } = await postForm(
      "/device_authorization", { ...client, provider, scope: scopes.length ? scopes.join(" ") : undefined },
      object({
        device_code: string, user_code: string, verification_uri: string,
        verification_uri_complete: optional(string), expires_in: number, interval: optional(number),
      }), signal);
    code.verificationUriComplete ??= code.verificationUri;
    yield { state: "code", code };
    // RFC 8628 §3.2: 5 is the default.
    let interval = Math.min(Math.max(1, suggested ?? 5), 600);
    let announced = false;
    for (let waited = interval; ; waited += interval) {
      await pause(interval, signal);
      let result;
      try {
        result = await postForm(
          "/token",
          { grant_type: "urn:ietf:params:oauth:grant-type:device_code", ...client, device_code: deviceCode },
          signInResult, signal);
      } catch (error) {
        const isInTime = waited < code.expiresIn;
        // RFC 8628 §3.5: the interval grows by 5 seconds for this and all later requests.
        if (error.reason === "slow_down") interval += 5;
        // RFC 8628 §3.5 suggests exponential backoff. A lost response cannot be fetched again; the next request says so.
        else if (error.reason === "network_failed" && isInTime) interval = Math.min(interval * 2, 60);
        else if (error.retry === "same" && isInTime) interval = Math.max(interval, Math.min(error.retryAfter ?? 0, 60));
        else if (error.reason !== "authorization_pending") throw error;
      }
      if (result) {
        yield { state: "signedIn", result };
        return;
      }
      if (!announced) yield { state: "waiting", code };
      announced = true;
    }
  }

  const factors = object({
    factors: list(object({
      factor_id: string, name: optional(string), created_at: optional(time), last_used_at: optional(time),
    })),
    recovery_codes_left: optional(number, 0),
  });

  return {
    signIn: (options) => prove(undefined, options),
    signInAnonymously: ({ signal } = {}) => post("/v1/anonymous", {}, signInResult, signal),
    deviceSignIn,
    startRedirect,
    completeRedirect,
    nonce: ({ provider, signal }) =>
      post("/v1/nonce", { provider }, object({ nonce: string, nonce_verifier: string }), signal),

    account: ({ signal } = {}) => ask("GET", "/v1/account", account, signal),
    link: (options) => prove("link", options),
    reauthenticate: (options) => prove("reauthenticate", options),
    unlink: async ({ provider, signal }) =>
      (await postForUser("/v1/account/unlink", { provider }, object({ account }), signal)).account,
    merge: ({ pendingCredential, fromIdToken, signal }) =>
      postForUser(
        "/v1/account/merge", { pending_credential: pendingCredential, from_id_token: fromIdToken }, mergeResult, signal),
    refreshProviderTokens: async ({ provider, refreshToken, signal }) =>
      (await postForUser(
        "/v1/provider-token", { provider, refresh_token: refreshToken }, object({ oauth: providerTokens }), signal)).oauth,
    revokeProviderToken: async ({ provider, token, signal }) => {
      await postForUser("/v1/provider-token/revoke", { provider, token }, object({}), signal);
    },
    signOutEverywhere: async ({ signal } = {}) =>
      (await postForUser(
        "/v1/account/signout", {}, object({ sessions_revoked: optional(boolean, false) }), signal)).sessionsRevoked,
    deleteAccount: async ({ signal } = {}) =>
      (await ask("DELETE", "/v1/account", object({ firebase_user: removedUser }), signal)).firebaseUser,

    secondFactors: ({ signal } = {}) => ask("GET", "/v1/account/factors", factors, signal),
    addSecondFactor: ({ name, signal } = {}) =>
      postForUser(
        "/v1/account/factors", { type: "totp", name },
        object({ factor_id: string, secret: string, otpauth_uri: string, expires_in: optional(number, 0) }), signal),
    confirmSecondFactor: async ({ factorId, totp, signal }) =>
      (await postForUser(
        "/v1/account/factors/confirm", { factor_id: factorId, totp }, object({ recovery_codes: list(string) }), signal))
        .recoveryCodes,
    removeSecondFactor: async ({ factorId, totp, recoveryCode, signal }) => {
      await postForUser(
        "/v1/account/factors/remove", { factor_id: factorId, totp, recovery_code: recoveryCode }, object({}), signal);
    },
  };
}

// MARK: - Browsers

const timedOut = () =>
  new TokenExchangeError("timed_out", "auth/timeout", "The user did not finish the sign-in in time.");

export const untilRedirect = (work, { signal, timeout }) => limited(work, { signal, timeout, late: timedOut });

export const visiting = ({ redirectUri, visit }) => async ({ begin, isRedirect, signal }) =>
  visit(await begin(redirectUri), { isRedirect, signal });

export const popup = ({ redirectUri, features = "popup,width=480,height=640", timeout = 600_000 } = {}) =>
  ({ issuer, begin, isRedirect, signal }) => {
    const window = open("", "_blank", features);
    if (!window) {
      throw new TokenExchangeError(
        "browser_failed", "auth/popup-blocked",
        "The browser blocked the pop-up window. Sign in within the handler of a click.");
    }
    signal.addEventListener("abort", () => window.close());
    return untilRedirect(async (ending) => {
      const response = new Promise((resolve, reject) => {
        const origin = new URL(issuer).origin;
        const listen = ({ origin: sender, data }) => {
          // Any page may post a message: only the server's page can name the state.
          if (sender === origin && data?.type === "authorization_response" && isRedirect(data.response)) resolve(data.response);
        };
        let checks = 0;
        const closing = setInterval(() => {
          // The message of a page that closes itself may come a moment after its end.
          if (window.closed && ++checks > 1) {
            reject(new TokenExchangeError(
              "cancelled", "auth/popup-closed-by-user",
              "The user closed the pop-up window, or a page with Cross-Origin-Opener-Policy: same-origin hides it from this one."));
          }
        }, 500);
        addEventListener("message", listen);
        ending.addEventListener("abort", () => {
          clearInterval(closing);
          removeEventListener("message", listen);
        });
      });
      const url = begin(redirectUri ?? `${location.origin}/callback`, { response_mode: "web_message" });
      // The user may close the window before the URL is known.
      return Promise.race([response, url.then((url) => { window.location = url; return response; })]);
    }, { signal, timeout });
  };
