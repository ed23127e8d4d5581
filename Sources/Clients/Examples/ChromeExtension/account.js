import { createClient, visiting } from "./token-exchange-client.js";

// The tokens are in the memory of the browser until it ends. Content scripts cannot read this storage.
const storage = chrome.storage.session;
const keep = ({ session }) => storage.set({ idToken: session.idToken });

const client = createClient({
  server: "http://127.0.0.1:8080",
  clientId: "my-extension",
  getIdToken: async () => (await storage.get("idToken")).idToken,
  browser: visiting({
    redirectUri: chrome.identity.getRedirectURL("callback"),
    visit: (url) => chrome.identity.launchWebAuthFlow({ url, interactive: true }),
  }),
});

/** The codes of errors after which a new sign-in, with the second factor if there is one, helps. */
const outdated = ["auth/requires-recent-login", "auth/multi-factor-auth-required", "auth/user-token-expired"];

const calls = {
  signIn: async (provider) => keep(await client.signIn({ provider })),

  async link(provider, mayRepeat = true) {
    try {
      await keep(await client.link({ provider }));
    } catch (error) {
      if (error.reason === "credential_already_in_use") {
        if (!confirm(`It belongs to the account ${error.existingUid}. Move it here, and delete that account?`)) return;
        await keep(await client.merge({ pendingCredential: error.pendingCredential }));
      } else if (mayRepeat && outdated.includes(error.code)) {
        const result = await client.signIn({ provider: user.providers[0] });
        if (result.uid !== user.uid) throw new Error("That was another account. Nothing was linked.");
        await keep(result);
        await calls.link(provider, false);
      } else {
        throw error;
      }
    }
  },

  signOut: () => storage.clear(),
};

// MARK: - The page

let user;
const line = document.getElementById("status");
const buttons = [...document.querySelectorAll("button")];

async function show(problem = "") {
  user = null;
  if ((await storage.get("idToken")).idToken) {
    try {
      const { uid, identities } = await client.account();
      user = { uid, providers: identities.map(({ provider }) => provider) };
    } catch ({ message }) {
      problem ||= message;
    }
  }
  const who = user ? `Signed in as ${user.uid} (${user.providers.join(", ")}).` : "Signed out.";
  line.textContent = problem ? `${who} ${problem}` : who;
  for (const button of buttons) {
    button.disabled = false;
    button.hidden = (button.dataset.call === "signIn") === Boolean(user) || user?.providers.includes(button.dataset.provider);
  }
}

for (const button of buttons) {
  button.addEventListener("click", async () => {
    for (const other of buttons) other.disabled = true;
    line.textContent = "Continue in the other window.";
    const { call, provider } = button.dataset;
    // If the user closes the window, Chrome says so in the cause.
    await calls[call](provider).then(() => show(), (error) => show((error.cause ?? error).message));
  });
}
await show();
