// Signs in with oidc-client-ts. With its default scope, openid, it requires an ID token.

import { UserManager } from "oidc-client-ts";
import { arrived, redirectURI, report, scope, server } from "./page.js";

const settings = { authority: server, client_id: "single-page", redirect_uri: redirectURI };
const manager = new UserManager(scope === null ? settings : { ...settings, scope });

async function signIn() {
  if (!arrived) {
    await manager.signinRedirect();
    return undefined;
  }
  const user = await manager.signinCallback();
  return { access_token: user.access_token, token_type: user.token_type };
}

report(signIn());
