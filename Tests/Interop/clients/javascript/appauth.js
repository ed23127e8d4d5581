// Signs in with AppAuth-JS. By default it reads the response from the fragment of the URL; its documentation shows the
// same class for servers that send a query, as the code flow requires.

import {
  AuthorizationNotifier, AuthorizationRequest, AuthorizationServiceConfiguration, BaseTokenRequestHandler,
  BasicQueryStringUtils, FetchRequestor, LocalStorageBackend, RedirectRequestHandler, TokenRequest,
} from "@openid/appauth";
import { arrived, redirectURI, report, server } from "./page.js";

class Query extends BasicQueryStringUtils {
  parse(url) {
    return super.parse(url, false);
  }
}

async function signIn() {
  const http = new FetchRequestor();
  const configuration = await AuthorizationServiceConfiguration.fetchFromIssuer(server, http);
  const handler = new RedirectRequestHandler(new LocalStorageBackend(), new Query());
  const known = { client_id: "single-page", redirect_uri: redirectURI };
  if (!arrived) {
    const request = new AuthorizationRequest({ ...known, scope: "openid", response_type: "code" });
    handler.performAuthorizationRequest(configuration, request);
    return undefined;
  }
  const notifier = new AuthorizationNotifier();
  handler.setAuthorizationNotifier(notifier);
  const completed = new Promise((resolve, reject) => {
    notifier.setAuthorizationListener((request, response, error) =>
      response ? resolve({ code: response.code, code_verifier: request.internal.code_verifier }) : reject(error));
  });
  await handler.completeAuthorizationRequestIfPossible();
  const { code, code_verifier } = await completed;
  const request = new TokenRequest({ ...known, grant_type: "authorization_code", code, extras: { code_verifier } });
  const token = await new BaseTokenRequestHandler(http).performTokenRequest(configuration, request);
  return { access_token: token.accessToken, token_type: token.tokenType };
}

report(signIn());
