import type { Browser } from "./token-exchange-client.js";

/**
 * The browser of a desktop, which is redirected to a listener of this program on 127.0.0.1 (RFC 8252 §7.3), for Node.js and the
 * main process of Electron.
 *
 * The client's `redirect_uris` must contain `http://127.0.0.1` with the path, without a port. Requests without the state of the
 * flow are answered with 404, and do not end it. While the browser starts, other users of the same machine can read the URL in
 * the list of processes, and sign the application in as themselves. On a shared machine, pass another `open`.
 */
export function loopback(options?: {
  /** The path of the redirect URI; by default `/callback`. */
  path?: string;
  /** The text that the browser shows at the end, as plain text. */
  page?: string;
  /** The milliseconds that the user has; by default ten minutes. */
  timeout?: number;
  /** Shows the URL to the user; by default {@link openInDefaultBrowser}. */
  open?: (url: string, options: { signal: AbortSignal }) => unknown;
}): Browser;

/** Opens a URL with `xdg-open`, on macOS with `open`, on Windows with `rundll32`. */
export function openInDefaultBrowser(url: string): Promise<void>;
