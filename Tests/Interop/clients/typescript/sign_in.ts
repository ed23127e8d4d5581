// Signs in with the client that a generator made from the API description.
//
// It prints the URL for the browser, reads the URL that the application receives, and prints the answer and a refusal.
import { createInterface } from "node:readline";
import { Configuration, DefaultApi, type ExchangeBody, ResponseError } from "client";

const clientId = "my-app";
const provider = "yahoo.com";

const api = new DefaultApi(new Configuration({ basePath: process.argv[2] }));
const begun = await api.signin({
  signInRequest: { clientId, provider, redirectUri: "com.example.app:/yahoo" },
});
console.log(begun.authorizationUrl);

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const callbackUrl: string = (await lines.next()).value;
const exchangeBody: ExchangeBody = {
  clientId,
  provider,
  credential: { type: "callback", session: begun.session, callbackUrl },
};
const answer = await api.exchange({ exchangeBody });
console.log(JSON.stringify({ uid: answer.uid, customToken: answer.customToken, name: answer.profile?.name }));

try {
  await api.exchange({ exchangeBody });
} catch (error) {
  if (!(error instanceof ResponseError)) throw error;
  console.log(JSON.stringify({ status: error.response.status, reason: (await error.response.json()).reason }));
}
process.exit(0);
