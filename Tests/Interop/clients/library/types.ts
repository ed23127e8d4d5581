// Is compiled, and then run: the declarations and the module have the same names, and calls that cannot work do not compile.

import assert from "node:assert/strict";
import * as library from "token-exchange-client";
import { createClient, popup, TokenExchangeError, visiting, type Client, type SignInResult } from "token-exchange-client";
import * as listener from "token-exchange-client/loopback";

const calls: Record<keyof Client, true> = {
  signIn: true, signInAnonymously: true, deviceSignIn: true, startRedirect: true, completeRedirect: true, nonce: true,
  account: true, link: true, reauthenticate: true, unlink: true, merge: true, refreshProviderTokens: true,
  revokeProviderToken: true, signOutEverywhere: true, deleteAccount: true, secondFactors: true, addSecondFactor: true,
  confirmSecondFactor: true, removeSecondFactor: true,
};
const names: Record<keyof typeof library, true> = {
  createClient: true, TokenExchangeError: true, popup: true, visiting: true, untilRedirect: true,
};
const loopbackNames: Record<keyof typeof listener, true> = { loopback: true, openInDefaultBrowser: true };

declare const auth: { currentUser: { getIdToken(): Promise<string> } | null };
const client = createClient({
  server: "https://auth.example.com", clientId: "my-app", getIdToken: () => auth.currentUser?.getIdToken(),
});
assert.deepEqual(Object.keys(client).sort(), Object.keys(calls).sort());
assert.deepEqual(Object.keys(library).sort(), Object.keys(names).sort());
assert.deepEqual(Object.keys(listener).sort(), Object.keys(loopbackNames).sort());

export async function uses(signal: AbortSignal): Promise<void> {
  const result: SignInResult = await client.signIn({ provider: "yahoo.com", signal, browser: popup() });
  if (result.session) await fetch(result.session.idToken);
  else await fetch(result.customToken);
  await client.signIn({ provider: "yahoo.com", credential: { type: "id_token", idToken: "i", nonce: "n" } });
  for await (const state of client.deviceSignIn()) {
    if (state.state === "signedIn") state.result.uid.trim();
    else state.code.userCode.trim();
  }
  try {
    await client.link({ provider: "twitter.com", browser: visiting({ redirectUri: "a:/b", visit: async (url) => url }) });
  } catch (error) {
    if (!(error instanceof TokenExchangeError) || !error.pendingCredential) throw error;
    await client.merge({ pendingCredential: error.pendingCredential });
    await client.signIn({ credential: { type: "second_factor", pendingCredential: error.pendingCredential, totp: "1" } });
  }
  // @ts-expect-error: a credential of a provider needs the provider.
  await client.signIn({ credential: { type: "id_token", idToken: "i", nonce: "n" } });
  // @ts-expect-error: an ID token needs a nonce.
  await client.signIn({ provider: "yahoo.com", credential: { type: "id_token", idToken: "i" } });
  // @ts-expect-error: a link needs a provider.
  await client.link({});
  // @ts-expect-error: only one of the two names the other account.
  await client.merge({ pendingCredential: "p", fromIdToken: "i" });
  // @ts-expect-error: a factor is removed by a code.
  await client.removeSecondFactor({ factorId: "f" });
}
