// Signs in with oauth4webapi. It requires https, unless each call allows http.

import * as oauth from "oauth4webapi";
import { arrived, redirectURI, report, server } from "./page.js";

const http = { [oauth.allowInsecureRequests]: true };
const client = { client_id: "single-page" };

async function signIn() {
  const issuer = new URL(server);
  const discovery = await oauth.discoveryRequest(issuer, { algorithm: "oauth2", ...http });
  const metadata = await oauth.processDiscoveryResponse(issuer, discovery);
  if (!arrived) {
    sessionStorage.verifier = oauth.generateRandomCodeVerifier();
    sessionStorage.state = oauth.generateRandomState();
    const url = new URL(metadata.authorization_endpoint);
    url.search = new URLSearchParams({
      client_id: client.client_id,
      redirect_uri: redirectURI,
      response_type: "code",
      state: sessionStorage.state,
      code_challenge: await oauth.calculatePKCECodeChallenge(sessionStorage.verifier),
      code_challenge_method: "S256",
    });
    location.assign(url);
    return undefined;
  }
  // It also verifies `iss`, because the metadata promises it (RFC 9207).
  const answer = oauth.validateAuthResponse(metadata, client, new URL(location.href), sessionStorage.state);
  const response = await oauth.authorizationCodeGrantRequest(
    metadata, client, oauth.None(), answer, redirectURI, sessionStorage.verifier, http);
  return oauth.processAuthorizationCodeResponse(metadata, client, response);
}

report(signIn());
