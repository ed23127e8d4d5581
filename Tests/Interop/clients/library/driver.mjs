// Calls the library as a test says: each line of the input is a call, and each line of the output an event of it.

import { createInterface } from "node:readline";
import { createClient } from "token-exchange-client";
import { loopback } from "token-exchange-client/loopback";
// The functions of the guide.
import { exchange, linkOrMerge } from "./guide.mjs";

const say = (event) => console.log(JSON.stringify(event));
let idToken;
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
/** Asks the user of the program. */
async function ask(question) {
  say({ ask: question });
  return JSON.parse((await lines.next()).value);
}
const client = createClient({
  server: process.argv[2],
  clientId: process.argv[3],
  browser: loopback({ open: (url) => say({ open: url }) }),
  getIdToken: () => idToken,
});

for await (const line of lines) {
  const { call, bearer, options } = JSON.parse(line);
  idToken = bearer;
  try {
    if (call === "deviceSignIn") {
      for await (const state of client.deviceSignIn(options)) say(state.result ? { result: state.result } : state);
    } else if (call === "linkOrMerge") {
      say({ result: await linkOrMerge(client, options.provider, () => ask("merge?")) });
    } else if (call === "exchange") {
      say({ result: await exchange(client, options.provider, options.credential, () => ask("code?")) });
    } else {
      say({ result: (await client[call](options)) ?? null });
    }
  } catch (error) {
    say({ error: { ...error, message: error.message, pendingCredential: error.pendingCredential } });
  }
}
