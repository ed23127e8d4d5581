// The browser of a desktop, for Node.js and Electron. The types are in loopback.d.ts.

import { spawn } from "node:child_process";
import { webcrypto } from "node:crypto";
import { createServer } from "node:http";
import { TokenExchangeError, untilRedirect } from "./token-exchange-client.js";

// Node.js 18 has Web Crypto only as a module.
globalThis.crypto ??= webcrypto;

/** The time in milliseconds in which a request must arrive: browsers open connections in advance, which may stay silent. */
const patience = 30_000;

export const loopback = ({
  path = "/callback", page = "You can close this window and return to the application.", timeout = 600_000,
  open = openInDefaultBrowser,
} = {}) => ({ begin, isRedirect, signal }) =>
  untilRedirect(async (ending) => {
    const server = createServer({ headersTimeout: patience, requestTimeout: patience });
    ending.addEventListener("abort", () => {
      server.close();
      server.closeAllConnections();
    });
    await new Promise((resolve, reject) => server.once("error", reject).listen(0, "127.0.0.1", resolve));
    const host = `127.0.0.1:${server.address().port}`;
    const redirected = new Promise((resolve) => {
      server.on("request", (request, response) => {
        // A web page can send any request to a loopback port. It cannot know the state, and only a page of another name
        // that was made to mean 127.0.0.1 could read the response: the field Host is then that name.
        const isOurs = request.method === "GET" && request.headers.host === host
          && request.url.startsWith(`${path}?`) && isRedirect(request.url);
        const text = isOurs ? page : "This is not the page of a sign-in.";
        response.once("close", () => isOurs && resolve(`http://${host}${request.url}`));
        respond(response, isOurs ? 200 : 404, text);
      });
    });
    const opened = open(await begin(`http://${host}${path}`), { signal: ending });
    return Promise.race([redirected, Promise.resolve(opened).then(() => redirected)]);
  }, { signal, timeout });

/** Sends a page with one sentence, which loads and stores nothing. */
function respond(response, status, text) {
  const escaped = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  response.writeHead(status, {
    "Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store", "Content-Security-Policy": "default-src 'none'",
    "Referrer-Policy": "no-referrer", "X-Content-Type-Options": "nosniff", Connection: "close",
  });
  response.end(`<!doctype html><html><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">`
    + `<title>${escaped}</title></head><body><p>${escaped}</p></body></html>`);
}

export function openInDefaultBrowser(url) {
  const [program, ...words] = {
    darwin: ["open"],
    // It takes the URL as it is; `start` of the shell would read its ampersands.
    win32: ["rundll32", "url.dll,FileProtocolHandler"],
  }[process.platform] ?? ["xdg-open"];
  return new Promise((resolve, reject) => {
    const fail = () =>
      reject(new TokenExchangeError(
        "browser_failed", "auth/operation-not-supported-in-this-environment",
        "No browser could be opened. Show the URL to the user, or use deviceSignIn."));
    // Without a desktop environment the program runs as long as the browser does.
    const running = spawn(program, [...words, url], { stdio: "ignore", detached: true });
    running.once("error", fail).once("exit", (code) => (code === 0 ? resolve() : fail()));
    running.unref();
  });
}
