// A stand-in for the two functions of jose that the Cloud Function of the guide calls, with the cryptography of Node.js.
import { createPublicKey, verify } from "node:crypto";

export function createRemoteJWKSet(url) {
  return async (header) => {
    const { keys } = await (await fetch(url)).json();
    const key = keys.find(({ kid }) => kid === header.kid);
    if (key === undefined) throw new Error("The key set has no such key.");
    return createPublicKey({ key, format: "jwk" });
  };
}

export async function jwtVerify(text, keys, options) {
  const [head, body, signature] = text.split(".");
  const [header, payload] = [head, body].map((part) => JSON.parse(Buffer.from(part, "base64url")));
  const isAsExpected =
    options.algorithms.includes(header.alg) && header.typ === options.typ && payload.iss === options.issuer &&
    payload.aud === options.audience && options.requiredClaims.every((name) => name in payload) &&
    payload.exp > Date.now() / 1000;
  const input = Buffer.from(`${head}.${body}`);
  if (!isAsExpected || !verify("RSA-SHA256", input, await keys(header), Buffer.from(signature, "base64url"))) {
    throw new Error("The JWT is not valid.");
  }
  return { payload, protectedHeader: header };
}
