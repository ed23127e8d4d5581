'use strict';
// Verifies ID tokens and mints Firebase custom tokens. Nothing here waits: every function returns or throws a Refusal.

const crypto = require('node:crypto');
const fs = require('node:fs');

const audienceOfCustomTokens =
  'https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit';
const lifetime = 300;
const clockSkew = 60;

/** Why a request is answered with 400. */
class Refusal {
  constructor(error, reason) {
    this.body = JSON.stringify({ error, reason });
  }
}

const refusals = {};
for (const reason of ['malformed_token', 'algorithm_not_allowed', 'unknown_key', 'signature_invalid', 'issuer_mismatch',
  'audience_mismatch', 'expired', 'not_yet_valid', 'nonce_mismatch', 'replayed']) {
  refusals[reason] = new Refusal('invalid_grant', reason);
}
for (const reason of ['malformed_body', 'missing_field', 'unknown_credential_type']) {
  refusals[reason] = new Refusal('invalid_request', reason);
}

// The one-shot function of Node 20.12 is faster than an object for each hash; Node 18 has only the object.
const sha256 = crypto.hash
  ? (text, encoding) => crypto.hash('sha256', text, encoding)
  : (text, encoding) => crypto.createHash('sha256').update(text).digest(encoding);

/** The keys of a JSON key set by their `kid`, each with the only algorithm that it may be used with. */
function readKeySet(path) {
  const keys = new Map();
  for (const jwk of JSON.parse(fs.readFileSync(path, 'utf8')).keys) {
    const key = crypto.createPublicKey({ key: jwk, format: 'jwk' });
    if (jwk.kty === 'EC' && jwk.crv === 'P-256') {
      keys.set(jwk.kid, { algorithm: 'ES256', signatureLength: 64, key: { key, dsaEncoding: 'ieee-p1363' } });
    } else if (jwk.kty === 'RSA') {
      keys.set(jwk.kid, { algorithm: 'RS256', signatureLength: key.asymmetricKeyDetails.modulusLength / 8, key });
    }
  }
  return keys;
}

const base64url = /^[A-Za-z0-9_-]+$/;

function decoded(part) {
  if (!base64url.test(part)) throw refusals.malformed_token;
  let value;
  try {
    value = JSON.parse(Buffer.from(part, 'base64url').utf8Slice());
  } catch {
    throw refusals.malformed_token;
  }
  if (value === null || typeof value !== 'object' || Array.isArray(value)) throw refusals.malformed_token;
  return value;
}

class Verifier {
  constructor({ keySet, issuer, audience }) {
    this.keys = readKeySet(keySet);
    this.issuer = issuer;
    this.audience = audience;
    // A provider uses few headers and many payloads, so decoded headers are cached.
    this.headers = new Map();
  }

  header(part) {
    let header = this.headers.get(part);
    if (header === undefined) {
      header = decoded(part);
      if (header.crit !== undefined) throw refusals.malformed_token;
    }
    return header;
  }

  /** The subject of an ID token, its expiry, and the digest that it is remembered by (a string of 32 Latin-1 characters). */
  verify(token, nonce) {
    const first = token.indexOf('.');
    const second = token.indexOf('.', first + 1);
    if (first < 1 || second < 0) throw refusals.malformed_token;
    const encodedHeader = token.slice(0, first);
    const header = this.header(encodedHeader);
    if (header.alg !== 'ES256' && header.alg !== 'RS256') throw refusals.algorithm_not_allowed;
    const known = this.keys.get(header.kid);
    if (known === undefined) throw refusals.unknown_key;
    if (known.algorithm !== header.alg) throw refusals.algorithm_not_allowed;

    const signed = token.slice(0, second);
    const encoded = token.slice(second + 1);
    if (!base64url.test(encoded)) throw refusals.signature_invalid;
    const signature = Buffer.from(encoded, 'base64url');
    if (signature.length !== known.signatureLength
      || !crypto.verify('sha256', Buffer.from(signed, 'latin1'), known.key, signature)) throw refusals.signature_invalid;
    // A header is remembered only after its signature was valid, so that a caller cannot fill the memory with invalid headers.
    this.headers.set(encodedHeader, header);

    const claims = decoded(signed.slice(first + 1));
    const now = Date.now() / 1000;
    if (claims.iss !== this.issuer) throw refusals.issuer_mismatch;
    if (Array.isArray(claims.aud)
      ? !claims.aud.includes(this.audience) || (claims.aud.length > 1 && claims.azp !== this.audience)
      : claims.aud !== this.audience) throw refusals.audience_mismatch;
    if (typeof claims.exp !== 'number' || typeof claims.iat !== 'number') throw refusals.malformed_token;
    if (typeof claims.sub !== 'string' || claims.sub === '') throw refusals.malformed_token;
    if (claims.exp + clockSkew <= now) throw refusals.expired;
    if (claims.iat - clockSkew > now) throw refusals.not_yet_valid;
    if (nonce !== undefined) {
      const expected = claims.nonce;
      if (expected !== sha256(nonce, 'base64url') && expected !== sha256(nonce, 'hex')) throw refusals.nonce_mismatch;
    }
    return {
      subject: claims.sub, expiry: claims.exp, digest: sha256(signed, 'latin1'), provider: '', response: null, body: '',
    };
  }
}

class Minter {
  constructor(path) {
    const account = JSON.parse(fs.readFileSync(path, 'utf8'));
    this.key = crypto.createPrivateKey(account.private_key);
    this.header = Buffer.from(JSON.stringify({ alg: 'RS256', typ: 'JWT', kid: account.private_key_id }))
      .toString('base64url');
    const address = JSON.stringify(account.client_email);
    this.start = `{"iss":${address},"sub":${address},"aud":"${audienceOfCustomTokens}","iat":`;
  }

  /** The body of the answer for one person. */
  mint(issuer, provider, subject) {
    const uid = sha256(`${issuer}\n${subject}`, 'base64url');
    const now = Math.floor(Date.now() / 1000);
    const payload = `${this.start}${now},"exp":${now + lifetime},"uid":"${uid}",`
      + `"claims":{"idp":${JSON.stringify(provider)},"idp_uid":${JSON.stringify(subject)}}}`;
    const signed = `${this.header}.${Buffer.from(payload).base64urlSlice()}`;
    const signature = crypto.sign('sha256', Buffer.from(signed, 'latin1'), this.key).base64urlSlice();
    return `{"custom_token":"${signed}.${signature}","expires_in":${lifetime},"uid":"${uid}"}`;
  }
}

/** The provider, ID token and nonce of a body of `POST /v1/exchange`. */
function readRequest(body) {
  let request;
  try {
    request = JSON.parse(body);
  } catch {
    throw refusals.malformed_body;
  }
  if (request === null || typeof request !== 'object') throw refusals.malformed_body;
  const { client_id: client, provider, credential } = request;
  if (typeof client !== 'string' || typeof provider !== 'string' || credential === null
    || typeof credential !== 'object') throw refusals.missing_field;
  if (credential.type !== 'id_token') throw refusals.unknown_credential_type;
  const { id_token: token, nonce } = credential;
  if (typeof token !== 'string' || (nonce !== undefined && typeof nonce !== 'string')) throw refusals.missing_field;
  return { provider, token, nonce };
}

module.exports = { Minter, Refusal, Verifier, readRequest, refusals };
