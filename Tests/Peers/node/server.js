'use strict';
// The Node peer: `cluster` with WORKERS workers on one port. The primary accepts connections, hands them to the workers
// in turn, and writes the log; a worker does all the rest of a request.

const cluster = require('node:cluster');
const http = require('node:http');
const { Minter, Refusal, Verifier, readRequest, refusals } = require('./tokens');
const { InMemory, Log, RemoteLog } = require('./single-use');

const { PORT, JWKS_FILE, ISSUER, AUDIENCE, SERVICE_ACCOUNT, DURABLE, LOG, WORKERS = '2' } = process.env;
const logDescriptor = 4;
const longestBody = 64 * 1024;

function runPrimary() {
  const log = DURABLE === 'log' ? new Log(LOG) : null;
  cluster.schedulingPolicy = cluster.SCHED_RR;
  cluster.setupPrimary({ stdio: ['ignore', 'inherit', 'inherit', 'ipc', 'pipe'] });
  let isEnding = false;
  const end = (status) => {
    if (isEnding) return;
    isEnding = true;
    for (const worker of Object.values(cluster.workers)) worker.process.kill('SIGKILL');
    process.exit(status);
  };
  for (let index = 0; index < Number(WORKERS); index += 1) {
    const worker = cluster.fork();
    if (log) log.serve(worker.process.stdio[logDescriptor]);
  }
  cluster.on('exit', () => end(1));
  process.on('SIGTERM', () => end(0));
  process.on('SIGINT', () => end(0));
}

function runWorker() {
  const verifier = new Verifier({ keySet: JWKS_FILE, issuer: ISSUER, audience: AUDIENCE });
  const minter = new Minter(SERVICE_ACCOUNT);
  const isDurable = DURABLE === 'log';
  const singleUse = isDurable ? new RemoteLog(logDescriptor) : new InMemory();

  const send = (response, status, body) => {
    response.writeHead(status, [
      'Content-Type', 'application/json', 'Cache-Control', 'no-store', 'Content-Length', String(Buffer.byteLength(body)),
    ]);
    response.end(body);
  };

  // Tokens that were verified since the last turn of the event loop. Their digests go to the writer together, and they
  // are minted while it waits for the disk; nothing is sent before it has answered.
  let verified = [];
  const mintVerified = () => {
    const exchanges = verified;
    verified = [];
    singleUse.flush();
    for (const exchange of exchanges) {
      exchange.body = minter.mint(ISSUER, exchange.provider, exchange.subject);
    }
  };

  const exchange = (text, response) => {
    const { provider, token, nonce } = readRequest(text);
    const { subject, expiry, digest } = verifier.verify(token, nonce);
    if (!isDurable) {
      singleUse.spend(digest, expiry, (isFirst) => {
        if (!isFirst) throw refusals.replayed;
        send(response, 200, minter.mint(ISSUER, provider, subject));
      });
      return;
    }
    const entry = { provider, subject, body: '' };
    singleUse.spend(digest, expiry, (isFirst) => {
      if (isFirst) send(response, 200, entry.body);
      else send(response, 400, refusals.replayed.body);
    });
    verified.push(entry);
    if (verified.length === 1) setImmediate(mintVerified);
  };

  const answer = (text, response) => {
    try {
      exchange(text, response);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      send(response, 400, error.body);
    }
  };

  const server = http.createServer({ noDelay: true }, (request, response) => {
    if (request.url !== '/v1/exchange') return send(response, 404, '{"error":"invalid_request","reason":"not_found"}');
    if (request.method !== 'POST') {
      return send(response, 405, '{"error":"invalid_request","reason":"method_not_allowed"}');
    }
    let first = null;
    let rest = null;
    let length = 0;
    request.on('data', (chunk) => {
      length += chunk.length;
      if (length > longestBody) return;
      if (first === null) first = chunk;
      else if (rest === null) rest = [first, chunk];
      else rest.push(chunk);
    });
    request.on('end', () => {
      if (length > longestBody) return send(response, 413, '{"error":"invalid_request","reason":"body_too_large"}');
      const body = rest === null ? first : Buffer.concat(rest);
      return answer(body === null ? '' : body.utf8Slice(), response);
    });
    return undefined;
  });
  server.keepAliveTimeout = 60_000;
  server.listen({ port: Number(PORT), host: '127.0.0.1', backlog: 4096 });
}

if (cluster.isPrimary) runPrimary();
else runWorker();
