// Calls the library as a test says: each line of the input is a call, and each line of the output an event of it.

import { createInterface } from "node:readline";
import { createClient } from "token-exchange-client";
import { loopback } from "token-exchange-client/loopback";

const say = (event) => console.log(JSON.stringify(event));
let idToken;
const client = createClient({
  server: process.argv[2],
  clientId: process.argv[3],
  browser: loopback({ open: (url) => say({ open: url }) }),
  getIdToken: () => idToken,
});

for await (const line of createInterface({ input: process.stdin })) {
  const { call, bearer, options } = JSON.parse(line);
  idToken = bearer;
  try {
    if (call === "deviceSignIn") {
      for await (const state of client.deviceSignIn(options)) say(state.result ? { result: state.result } : state);
    } else {
      say({ result: (await client[call](options)) ?? null });
    }
  } catch (error) {
    say({ error: { ...error, message: error.message, pendingCredential: error.pendingCredential } });
  }
}
