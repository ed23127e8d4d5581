// A program of the command line, whose user stays signed in between two runs. README.md says how to start it.

import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline/promises";
import { createClient } from "token-exchange-client";
import { loopback, openInDefaultBrowser } from "token-exchange-client/loopback";

// The defaults are those of the sandbox.
const server = process.env.SERVER ?? "http://127.0.0.1:8080";
const google = process.env.GOOGLE ?? "http://127.0.0.1:8084"; // of a deployment: https://securetoken.googleapis.com
const apiKey = process.env.API_KEY ?? "sandbox-api-key"; // of the Firebase project
const clientId = process.env.CLIENT ?? "without-sdk"; // with `redeem: true`, so that a session comes in place of a custom token

const client = createClient({
  server,
  clientId,
  getIdToken: idToken,
  browser: loopback({
    open: (url) => {
      console.log(`Open ${url}`);
      // Without a desktop the user opens the address.
      return openInDefaultBrowser(url).catch(() => {});
    },
  }),
});

// MARK: - The session, in a file that only this user can read

const file = join(process.env.XDG_STATE_HOME ?? join(homedir(), ".local/state"), "command-line-example/session.json");

async function keep({ idToken, refreshToken, expiresIn }) {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  // A file that exists would keep its mode.
  await rm(`${file}.new`, { force: true });
  const session = { idToken, refreshToken, expiresAt: Date.now() + expiresIn * 1000 };
  await writeFile(`${file}.new`, JSON.stringify(session), { mode: 0o600 });
  await rename(`${file}.new`, file);
}

const forget = () => rm(file, { force: true });

/** Returns the Firebase ID token, and a new one if it is about to expire. */
async function idToken() {
  const session = JSON.parse(await readFile(file, "utf8").catch(() => "null"));
  if (!session) throw new Error("You are not signed in. Run: node main.mjs sign-in");
  if (Date.now() < session.expiresAt - 60_000) return session.idToken;
  const form = new URLSearchParams({ grant_type: "refresh_token", refresh_token: session.refreshToken });
  const response = await fetch(`${google}/v1/token?key=${apiKey}`, { method: "POST", body: form });
  if (response.status === 400) {
    await forget();
    throw new Error("The session has ended. Run: node main.mjs sign-in");
  }
  if (!response.ok) throw new Error("Google did not refresh the session. Try again later.");
  const fresh = await response.json();
  await keep({ idToken: fresh.id_token, refreshToken: fresh.refresh_token, expiresIn: Number(fresh.expires_in) });
  return fresh.id_token;
}

// MARK: - Questions

async function ask(question) {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return (await terminal.question(`${question}\n> `)).trim();
  } finally {
    terminal.close();
  }
}

/** Makes a call that needs a sign-in of the last minutes, also with the second factor: the pages of the server ask for it. */
async function recently(call) {
  try {
    return await call();
  } catch (error) {
    if (!["auth/requires-recent-login", "auth/multi-factor-auth-required"].includes(error.code)) throw error;
  }
  const { uid, identities } = await client.account();
  console.log("Sign in again first.");
  const result = await client.signIn({ provider: identities.find(({ managedBy }) => managedBy === "us")?.provider });
  if (result.uid !== uid) throw new Error("That was another account. Nothing was changed.");
  await keep(result.session);
  return call();
}

// MARK: - Commands

const say = ({ uid, identities }) => console.log(`${uid}: ${identities.map(({ provider }) => provider).join(", ")}`);

const commands = {
  async "sign-in"(provider) {
    const { uid, profile, session } = await client.signIn({ provider });
    await keep(session);
    console.log(`Signed in as ${profile.name ?? uid}.`);
  },

  whoami: async () => say(await client.account()),

  async link(provider) {
    let result;
    try {
      result = await recently(() => client.link({ provider }));
    } catch (error) {
      if (error.reason !== "credential_already_in_use") throw error;
      const answer = await ask(`It belongs to ${error.existingUid}. Move it here, and delete that account? yes or no`);
      if (answer !== "yes") return console.log("Nothing was changed.");
      result = await client.merge({ pendingCredential: error.pendingCredential });
    }
    await keep(result.session);
    say(result.account);
  },

  unlink: async (provider) => say(await recently(() => client.unlink({ provider }))),

  async "second-factor"() {
    const { factorId, otpauthUri, secret } = await recently(() => client.addSecondFactor({ name: "Authenticator" }));
    console.log(`Add ${otpauthUri} to an authenticator application, or type the key ${secret} there.`);
    const codes = await client.confirmSecondFactor({ factorId, totp: await ask("Which code does it show?") });
    console.log(`Keep these recovery codes: ${codes.join(" ")}`);
  },

  async "sign-out"(where) {
    if (where === "everywhere") await client.signOutEverywhere();
    await forget();
    console.log("Signed out.");
  },
};

const [name, argument] = process.argv.slice(2);
if (!Object.hasOwn(commands, name ?? "")) {
  console.error(`node main.mjs ${Object.keys(commands).join(" | ")}`);
  process.exitCode = 64;
} else {
  await commands[name](argument).catch((error) => {
    console.error(error.cause instanceof Error && error.reason === "token_unavailable" ? error.cause.message : error.message);
    process.exitCode = 1;
  });
}
