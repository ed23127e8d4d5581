'use strict';
// The Node peer: `cluster` with WORKERS workers on one port. The primary accepts connections and hands them to the workers
// in turn; a worker does all the rest.

const cluster = require('node:cluster');
const http = require('node:http');
const { InMemory, Log } = require('./single-use');
const { Minter, Refusal, Verifier, readRequest, refusals } = require('./tokens');

const { PORT, JWKS_FILE, ISSUER, AUDIENCE, SERVICE_ACCOUNT, DURABLE, LOG, WORKERS = '2' } = process.env;
const longestBody = 64 * 1024;

function runPrimary() {
  if (DURABLE === 'log') Log.prepare(LOG);
  cluster.schedulingPolicy = cluster.SCHED_RR;
  let isEnding = false;
  const end = (status) => {
    if (isEnding) return;
    isEnding = true;
    for (const worker of Object.values(cluster.workers)) worker.process.kill('SIGKILL');
    process.exit(status);
  };
  for (let index = 0; index < Number(WORKERS); index += 1) cluster.fork();
  cluster.on('exit', () => end(1));
  process.on('SIGTERM', () => end(0));
  process.on('SIGINT', () => end(0));
}

function runWorker() {
  const verifier = new Verifier({ keySet: JWKS_FILE, issuer: ISSUER, audience: AUDIENCE });
  const minter = new Minter(SERVICE_ACCOUNT);
  const log = DURABLE === 'log' ? new Log(LOG, cluster.worker.id) : null;
  const memory = new InMemory();

  const send = (response, status, body) => {
    response.writeHead(status, [
      'Content-Type', 'application/json', 'Cache-Control', 'no-store', 'Content-Length', String(Buffer.byteLength(body)),
    ]);
    response.end(body);
  };

  const mint = (verified) => minter.mint(ISSUER, verified.provider, verified.subject);

  // What was verified since the last turn of the event loop is spent together. It is minted while a thread waits for the
  // disk, and nothing is sent before both are done.
  let waiting = [];
  const spendWaiting = () => {
    const group = waiting;
    waiting = [];
    const spent = [];
    log.spend(group, (verified) => spent.push(verified),
      (verified) => send(verified.response, 400, refusals.replayed.body));
    if (spent.length === 0) return;
    log.sync(() => {
      for (const { response, body } of spent) send(response, 200, body);
    });
    for (const verified of spent) verified.body = mint(verified);
  };

  const exchange = (text, response) => {
    const { provider, token, nonce } = readRequest(text);
    const verified = verifier.verify(token, nonce);
    verified.provider = provider;
    if (log === null) {
      if (!memory.spend(verified.digest)) throw refusals.replayed;
      send(response, 200, mint(verified));
      return;
    }
    if (log.isUsed(verified.digest)) throw refusals.replayed;
    verified.response = response;
    waiting.push(verified);
    if (waiting.length === 1) setImmediate(spendWaiting);
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
