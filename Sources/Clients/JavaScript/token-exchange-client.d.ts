/**
 * A client of a token-exchange server, which signs users in with Yahoo, X and other providers and returns a custom token for
 * Firebase.
 *
 * The members of results and options have the names of the HTTP interface in camel case. Times in results are in seconds, as
 * on the wire; the option `timeout` is in milliseconds, as in `setTimeout`. Every call rejects with {@link TokenExchangeError}.
 * If its `signal` aborts, its request is cancelled, and the reason is `cancelled`. A request is sent again only if the server
 * says that its credential was not used (`retry: same`): at most twice, after the time in `Retry-After`. Except the polls of a
 * device sign-in, it is never sent again after a lost connection, because the server may have used the credential.
 */
export function createClient(options: ClientOptions): Client;

/** The id of a provider, as the configuration of the server names it: `yahoo.com`, `twitter.com`, … */
export type Provider = string;

export interface ClientOptions {
  /** The server's `public_url`. It must be `https`, or a loopback address during development. */
  server: string;
  /** The id of the application in the configuration of the server. */
  clientId: string;
  /** Shows web pages to the user: {@link popup}, {@link visiting}, or `loopback` of `token-exchange-client/loopback`. */
  browser?: Browser;
  /** Returns the Firebase ID token of the user, such as `auth.currentUser?.getIdToken()`. Account calls need it. */
  getIdToken?: () => Promise<string | null | undefined> | string | null | undefined;
  /** Returns an App Check token for the server; absent if the application does not use App Check. */
  getAppCheckToken?: () => Promise<string> | string;
  /** Keeps the flows of `startRedirect`; by default `sessionStorage`. */
  storage?: FlowStorage;
  /** Sends the requests; by default the global `fetch`. */
  fetch?: typeof fetch;
  /** The milliseconds in which the server must answer a request; by default 60000. */
  timeout?: number;
}

/** A part of the interface `Storage`, also with promises. Only this application may be able to read it. */
export interface FlowStorage {
  getItem(key: string): string | null | undefined | Promise<string | null | undefined>;
  setItem(key: string, value: string): unknown;
  removeItem(key: string): unknown;
}

export interface CallOptions {
  signal?: AbortSignal;
}

/** A flow through the pages of the server and of the provider. */
export interface FlowOptions extends CallOptions {
  /** Further scopes of the provider, such as `mail-r`. */
  scopes?: string[];
  /** Further parameters of the provider, such as `prompt`, or of the pages, such as `ui_locales`. */
  parameters?: Record<string, string>;
}

export interface BrowserOptions extends FlowOptions {
  /** Replaces the browser of the client. */
  browser?: Browser;
  credential?: undefined;
}

/** A sign-in by a credential of the provider that the application has. */
export interface CredentialOptions extends CallOptions {
  provider: Provider;
  credential: ProviderCredential;
}

export interface Client {
  /** Signs a user in by a browser. Without `provider`, a page of the server lets the user choose. */
  signIn(options?: BrowserOptions & { provider?: Provider }): Promise<SignInResult>;
  signIn(options: CredentialOptions): Promise<SignInResult>;
  /**
   * Signs in to the account that has the identity of a conflict, or continues after `second_factor_required`. After a link
   * through a browser, which another person may have begun, the reason is `intent_mismatch`: sign in through the browser again.
   */
  signIn(options: CallOptions & { credential: PendingCredential | SecondFactorCredential }): Promise<SignInResult>;
  /** Creates an anonymous account, which becomes permanent with its first link. */
  signInAnonymously(options?: CallOptions): Promise<SignInResult>;
  /** Signs a user in who has a browser only on another device. Each call starts a new sign-in. */
  deviceSignIn(
    options?: CallOptions & { provider?: Provider; scopes?: string[] }
  ): AsyncGenerator<DeviceState, void, undefined>;
  /** Leaves the page, or calls `navigate`, for a sign-in that {@link Client.completeRedirect} ends. */
  startRedirect(options: RedirectOptions): Promise<void>;
  /**
   * Ends what `startRedirect` began, also after a reload or in another process with the same storage.
   *
   * Returns `null`, and changes nothing, if the URL is not the redirect of a flow in the storage. Without `url` it reads
   * `location`, and removes the parameters from it.
   */
  completeRedirect(
    options?: CallOptions & { url?: string }
  ): Promise<(SignInResult & { intent?: "link" | "reauthenticate" }) | null>;
  /** Returns a nonce for an ID token that the application obtains itself. */
  nonce(options: CallOptions & { provider: Provider }): Promise<Nonce>;

  account(options?: CallOptions): Promise<Account>;
  /**
   * Links an identity to the account of the user. If it belongs to another account, the reason is
   * `credential_already_in_use`, and the error has a `pendingCredential` to merge.
   */
  link(options: BrowserOptions & { provider: Provider }): Promise<SignInResult>;
  link(options: CredentialOptions): Promise<SignInResult>;
  link(options: CallOptions & { credential: PendingCredential }): Promise<SignInResult>;
  /** Verifies the user again, by a fresh login at the provider. */
  reauthenticate(options: BrowserOptions & { provider: Provider }): Promise<SignInResult>;
  reauthenticate(options: CredentialOptions): Promise<SignInResult>;
  unlink(options: CallOptions & { provider: Provider }): Promise<Account>;
  /**
   * Moves the identities of another account to the account of the user, and deletes that account permanently. It is named by
   * the `pendingCredential` of a link that failed, or by a recent Firebase ID token.
   */
  merge(
    options: CallOptions &
      ({ pendingCredential: string; fromIdToken?: never } | { fromIdToken: string; pendingCredential?: never })
  ): Promise<MergeResult>;
  /** Refreshes the tokens of a provider. A new refresh token replaces the old one. */
  refreshProviderTokens(options: CallOptions & { provider: Provider; refreshToken: string }): Promise<ProviderTokens>;
  revokeProviderToken(options: CallOptions & { provider: Provider; token: string }): Promise<void>;
  /** Ends the Firebase sessions of the user on all devices; returns whether the server was able to. */
  signOutEverywhere(options?: CallOptions): Promise<boolean>;
  /** Deletes the account permanently; returns what became of the Firebase user. */
  deleteAccount(options?: CallOptions): Promise<RemovedUser | undefined>;

  secondFactors(options?: CallOptions): Promise<SecondFactors>;
  /** Begins to add an authenticator application (RFC 6238). */
  addSecondFactor(options?: CallOptions & { name?: string }): Promise<FactorEnrollment>;
  /** Confirms it by its first code. Returns recovery codes, which the server shows only once. */
  confirmSecondFactor(options: CallOptions & { factorId: string; totp: string }): Promise<string[]>;
  removeSecondFactor(
    options: CallOptions & { factorId: string } & (
        | { totp: string; recoveryCode?: never }
        | { recoveryCode: string; totp?: never }
      )
  ): Promise<void>;
}

export interface RedirectOptions extends FlowOptions {
  provider?: Provider;
  intent?: "link" | "reauthenticate";
  /** One of the client's `redirect_uris`; by default the address of the page without its query. */
  redirectUri?: string;
  /** Opens the URL; by default it replaces the page. */
  navigate?: (url: string) => unknown;
}

// Credentials: each is accepted once, and only if it was issued to the server's deployment.

export type ProviderCredential =
  | { type: "authorization_code"; code: string; redirectUri: string; codeVerifier?: string; nonce?: string }
  /** `nonce` is the `nonceVerifier` of {@link Client.nonce}, unless the provider is configured otherwise. */
  | { type: "id_token"; idToken: string; nonce: string; accessToken?: string }
  | { type: "access_token"; accessToken: string; nonce: string }
  | { type: "oauth1_token"; oauthToken: string; oauthTokenSecret: string; nonce: string }
  | { type: "callback"; session: string; callbackUrl: string };

/** The `pendingCredential` of an error. */
export interface PendingCredential {
  type: "pending";
  pendingCredential: string;
}

export type SecondFactorCredential = { type: "second_factor"; pendingCredential: string } & (
  | { totp: string; recoveryCode?: never }
  | { recoveryCode: string; totp?: never }
);

export interface Nonce {
  /** For the authorization request at the provider. */
  nonce: string;
  /** For the credential. */
  nonceVerifier: string;
}

// Results

/** The custom token for `signInWithCustomToken`, or the session that a client with `redeem` has in its place. */
export type FirebaseTokens =
  | { customToken: string; session?: undefined }
  | { customToken?: undefined; session: { idToken: string; refreshToken: string; expiresIn: number } };

export type SignInResult = FirebaseTokens & {
  uid: string;
  isNewUser: boolean;
  /** Whether the user settled a conflict on a page, so that a new identity joined an older account. */
  linked: boolean;
  /** `anonymous` for an account without identity. */
  provider: Provider;
  providerUid?: string;
  /** How the server knows that the credential was issued to it, such as `id_token_aud`. */
  audienceProof?: string;
  profile: Profile;
  /** The tokens of the provider, if the server is configured to return them. */
  oauth?: ProviderTokens;
  /** The provider's own answer, if the server is configured to return it. */
  providerProfile?: Record<string, unknown>;
  /** The account after a link. */
  account?: Account;
};

/** In the words of OpenID Connect Core §5.1 for every provider. */
export interface Profile {
  name?: string;
  givenName?: string;
  familyName?: string;
  email?: string;
  emailVerified: boolean;
  picture?: string;
  locale?: string;
  /** The name at X. */
  screenName?: string;
}

export interface ProviderTokens {
  accessToken?: string;
  oauthTokenSecret?: string;
  idToken?: string;
  refreshToken?: string;
  scope?: string;
  expiresIn?: number;
}

export interface Account {
  uid: string;
  anonymous: boolean;
  createdAt?: Date;
  identities: Identity[];
}

export interface Identity {
  provider: Provider;
  providerUid?: string;
  email?: string;
  name?: string;
  picture?: string;
  /** `firebase`: only the Firebase SDK can link and unlink this identity. */
  managedBy?: "us" | "firebase" | (string & {});
  linkedAt?: Date;
  /** Exact to the hour. */
  lastUsedAt?: Date;
}

/** `kept`: the server may not delete it. `none`: there was no such Firebase user. */
export type RemovedUser = "deleted" | "kept" | "none";

export type MergeResult = FirebaseTokens & {
  account: Account;
  /** The uid of the account that was deleted. */
  mergedUid?: string;
  firebaseUser?: RemovedUser;
};

export interface SecondFactors {
  factors: { factorId: string; name?: string; createdAt?: Date; lastUsedAt?: Date }[];
  recoveryCodesLeft: number;
}

export interface FactorEnrollment {
  factorId: string;
  /** In Base32, for a user who types it. */
  secret: string;
  /** For a QR code. */
  otpauthUri: string;
  expiresIn: number;
}

export interface DeviceCode {
  /** Such as `WDJB-MJHT`. */
  userCode: string;
  verificationUri: string;
  /** Contains the code, for a QR code. */
  verificationUriComplete: string;
  expiresIn: number;
}

/** `waiting` comes once, after the first poll that finds that the user has not finished. */
export type DeviceState =
  | { state: "code" | "waiting"; code: DeviceCode; result?: undefined }
  | { state: "signedIn"; result: SignInResult; code?: undefined };

// Errors

/** Why a call failed. Its texts contain no secret. */
export class TokenExchangeError extends Error {
  /** For a {@link Browser} of the application. */
  constructor(reason: string, code: string, message: string, members?: { cause?: unknown });
  /**
   * The cause: a reason of the server, such as `credential_already_in_use`, or one of `cancelled`, `network_failed`,
   * `unexpected_response`, `browser_failed`, `timed_out`, `token_unavailable`, `insecure_server`, `state_mismatch`,
   * `issuer_mismatch`.
   */
  readonly reason: string;
  /** The error code of the Firebase SDKs, such as `auth/invalid-credential`. */
  readonly code: string;
  /** The OAuth error of the server. */
  readonly error?: string;
  /** `same`: it may be sent again later. `restart`: the user has to sign in at the provider again. */
  readonly retry?: "same" | "restart";
  /** The number of seconds to wait before the next try. */
  readonly retryAfter?: number;
  /**
   * The handle of the verified identity of a conflict, or of a sign-in that needs a second factor, valid once. It is a secret,
   * and not enumerable.
   */
  readonly pendingCredential?: string;
  /** The account that has the identity, with `credential_already_in_use`. */
  readonly existingUid?: string;
  /** The address of both accounts, with `account_exists_with_different_credential`. */
  readonly email?: string;
  /** The providers of the older account, with `account_exists_with_different_credential`. */
  readonly providers: Provider[];
  /**
   * The codes that the user may enter, with `second_factor_required`: `totp`, `recovery_code`. Without a `pendingCredential` a
   * call about the account needs a session that has just proven the second factor: sign in through a browser, and repeat it.
   */
  readonly factors: string[];
  /** The parameter to leave out, if a parameter was refused. */
  readonly parameter?: string;
  /** The text of the operator for the user, with `blocked_by_hook`. */
  readonly userMessage?: string;
  /** The HTTP status; absent if there was no response. */
  readonly status?: number;
  /** The id of the request in the log of the server. */
  readonly requestId?: string;
  readonly cause?: unknown;
}

// Browsers

/**
 * Shows web pages to the user (RFC 8252). Returns the redirect, as a URL or as its parameters; `null` if the user cancelled.
 * A web view that the application can read is not suitable (RFC 8252 §8.12).
 */
export type Browser = (flow: BrowserFlow) => Promise<Redirect>;
export type Redirect = string | Record<string, string> | null | undefined;

/** One flow, as a browser sees it. */
export interface BrowserFlow {
  issuer: string;
  /** Aborts at the end of the flow. */
  signal: AbortSignal;
  /** Returns the URL to open for a redirect URI, once. */
  begin(redirectUri: string, parameters?: Record<string, string>): Promise<string>;
  /** Whether this is the redirect of the flow, and not of another one. */
  isRedirect(redirect: string | Record<string, string>): boolean;
}

/**
 * A pop-up window of a web page. Sign in within the handler of a click, before any `await`: browsers block other windows.
 *
 * `redirectUri` is by default `/callback` of the page's origin, which must be in `origins`; nothing is loaded from it.
 */
export function popup(options?: { redirectUri?: string; features?: string; timeout?: number }): Browser;

/**
 * A browser that the application opens in its own way. `visit` returns the URL to which the user was redirected, and ignores
 * one for which `isRedirect` is false.
 */
export function visiting(options: {
  redirectUri: string;
  visit: (url: string, flow: Pick<BrowserFlow, "isRedirect" | "signal">) => Redirect | Promise<Redirect>;
}): Browser;

/** Runs the work of a {@link Browser} until it ends, the signal aborts, or that many milliseconds are over. */
export function untilRedirect<Value>(
  work: (ending: AbortSignal) => Promise<Value>,
  options: { signal: AbortSignal; timeout: number }
): Promise<Value>;
