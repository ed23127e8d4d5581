'use strict';
// Which ID tokens were used: in the memory of one process, or in a log that all workers append to and read.

const fs = require('node:fs');

class InMemory {
  constructor() {
    this.used = new Set();
  }

  /** Whether this is the first use of a token. */
  spend(digest) {
    if (this.used.has(digest)) return false;
    this.used.add(digest);
    return true;
  }
}

// A record: the digest, the expiry in seconds, the worker. The last two are hexadecimal.
const digestLength = 32;
const expiryLength = 8;
const workerLength = 4;
const recordLength = digestLength + expiryLength + workerLength;

function hexadecimal(number, length) {
  return number.toString(16).padStart(length, '0');
}

/**
 * A log that several processes append to. The kernel gives the appended records one order (O_APPEND), and the first
 * record of a token in that order is its only use. A worker appends what it was sent, reads on to the end of the log,
 * and knows then of each of its records whether another one came first. So no worker asks another process, and no
 * worker waits for another one but in the `fdatasync`.
 */
class Log {
  /** Makes the log fit to be opened, before there are workers. */
  static prepare(path) {
    const file = fs.openSync(path, 'a+', 0o600);
    const { size } = fs.fstatSync(file);
    // A crash during a write leaves a partial record, for which no answer was sent.
    if (size % recordLength !== 0) fs.ftruncateSync(file, size - (size % recordLength));
    fs.fsyncSync(file);
    fs.closeSync(file);
  }

  constructor(path, worker) {
    this.tag = hexadecimal(worker, workerLength);
    this.used = new Set();
    this.file = fs.openSync(path, 'a+', 0o600);
    this.position = 0;
    this.buffer = Buffer.alloc(recordLength * 4096);
    const earliest = Date.now() / 1000 - 120;
    this.readOn((digest, text, at) => {
      const expiry = parseInt(text.slice(at + digestLength, at + digestLength + expiryLength), 16);
      if (expiry >= earliest) this.used.add(digest);
    });
  }

  /** Calls `each` with the whole records between the last position and the end. */
  readOn(each) {
    for (;;) {
      const count = fs.readSync(this.file, this.buffer, 0, this.buffer.length, this.position);
      const whole = count - (count % recordLength);
      const text = this.buffer.latin1Slice(0, whole);
      for (let at = 0; at < whole; at += recordLength) each(text.slice(at, at + digestLength), text, at);
      this.position += whole;
      // Another worker may be writing: the rest of its last record is read the next time.
      if (count < this.buffer.length) return;
    }
  }

  /** Whether a token is known to be used; if it is not, only `spend` can tell. */
  isUsed(digest) {
    return this.used.has(digest);
  }

  /**
   * Spends tokens, and calls `first` or `replayed` with each. A first use must not be answered before `sync` is done.
   * An error ends this worker, and with it all of them: it is then unknown what the disk holds.
   */
  spend(tokens, first, replayed) {
    let records = '';
    for (const { digest, expiry } of tokens) {
      records += digest + hexadecimal(Math.min(Math.max(Math.ceil(expiry), 0), 0xffffffff), expiryLength) + this.tag;
    }
    const bytes = Buffer.from(records, 'latin1');
    if (fs.writeSync(this.file, bytes) !== bytes.length) throw new Error('the log is full');
    let own = 0;
    this.readOn((digest, text, at) => {
      const isFirst = !this.used.has(digest);
      if (isFirst) this.used.add(digest);
      if (!text.startsWith(this.tag, at + digestLength + expiryLength)) return;
      const token = tokens[own];
      own += 1;
      if (token.digest !== digest) throw new Error('the log is not as this worker wrote it');
      if (isFirst) first(token);
      else replayed(token);
    });
    if (own !== tokens.length) throw new Error('the log is not as this worker wrote it');
  }

  /** Calls `done` when all that was spent is on the disk. */
  sync(done) {
    fs.fdatasync(this.file, (error) => {
      if (error) throw error;
      done();
    });
  }
}

module.exports = { InMemory, Log };
