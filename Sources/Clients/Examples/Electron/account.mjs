// The account of the user, in the main process. It needs Node.js only, so that a test can run it without Electron.

import { createClient } from "token-exchange-client";
import { loopback } from "token-exchange-client/loopback";

/** The codes of errors after which a new sign-in, with the second factor if there is one, helps. */
const outdated = ["auth/requires-recent-login", "auth/multi-factor-auth-required", "auth/user-token-expired"];

/**
 * `open` shows a URL in the browser of the user, and `mayMerge` asks whether to move the identities of another account here.
 * Each function returns `{ user }` or `{ problem }`: Electron hands only the message of an error to a window.
 */
export function makeAccount({ server, clientId, open, mayMerge }) {
  // The tokens stay in this process.
  let session, user = null;
  const client = createClient({ server, clientId, browser: loopback({ open }), getIdToken: () => session?.idToken });

  function enter(result, account) {
    session = result.session;
    user = { uid: account.uid, providers: account.identities.map(({ provider }) => provider) };
  }

  // One visit to the browser at a time: a new one ends that of a tab which the user has closed.
  let visit;
  const visiting = () => {
    visit?.abort();
    visit = new AbortController();
    return visit.signal;
  };

  async function signIn(provider) {
    const result = await client.signIn({ provider, signal: visiting() });
    [session, user] = [result.session, null];
    enter(result, await client.account());
  }

  async function link(provider, mayRepeat = true) {
    try {
      const result = await client.link({ provider, signal: visiting() });
      enter(result, result.account);
    } catch (error) {
      if (error.reason === "credential_already_in_use") {
        if (!(await mayMerge(error.existingUid))) return;
        const merged = await client.merge({ pendingCredential: error.pendingCredential });
        enter(merged, merged.account);
      } else if (mayRepeat && outdated.includes(error.code)) {
        const { uid, providers } = user;
        await signIn(providers[0]);
        if (user.uid !== uid) throw new Error("That was another account. Nothing was linked.");
        await link(provider, false);
      } else {
        throw error;
      }
    }
  }

  const answering = (work) => async (argument) => {
    try {
      await work(argument);
      return { user };
    } catch ({ reason, message }) {
      return { user, problem: { reason, message } };
    }
  };

  return {
    signIn: answering(signIn),
    link: answering((provider) => link(provider)),
    signOut: answering(async () => {
      session = undefined;
      user = null;
    }),
  };
}
