'use strict';
// Which ID tokens were used. Three ways of the same shape: `spend(digest, expiry, done)` calls `done(isFirst)` later,
// for several tokens in the order of their calls, and never before what it says is durable.

const fs = require('node:fs');
const net = require('node:net');

// A record of the log, and of the pipe to its writer: the digest, then the expiry as seconds in hexadecimal.
const recordLength = 40;
const expiryLength = 8;

function record(digest, expiry) {
  return digest + Math.min(Math.max(Math.ceil(expiry), 0), 0xffffffff).toString(16).padStart(expiryLength, '0');
}

/** One process and no log. */
class InMemory {
  constructor() {
    this.used = new Set();
  }

  spend(digest, _expiry, done) {
    const isFirst = !this.used.has(digest);
    if (isFirst) this.used.add(digest);
    done(isFirst);
  }
}

/** The appended log, in the only process that writes it. */
class Log {
  constructor(path) {
    this.used = new Set();
    this.file = fs.openSync(path, 'a+', 0o600);
    const { size } = fs.fstatSync(this.file);
    const whole = size - (size % recordLength);
    // A crash in the middle of a write leaves a part of a record; nothing was answered for it.
    if (whole !== size) fs.ftruncateSync(this.file, whole);
    const earliest = Date.now() / 1000 - 120;
    const chunk = Buffer.alloc(recordLength * 4096);
    for (let at = 0; at < whole;) {
      const read = fs.readSync(this.file, chunk, 0, Math.min(chunk.length, whole - at), at);
      if (read % recordLength !== 0 || read === 0) throw new Error('the log cannot be read');
      for (let start = 0; start < read; start += recordLength) {
        const digest = chunk.latin1Slice(start, start + recordLength - expiryLength);
        const expiry = parseInt(chunk.latin1Slice(start + recordLength - expiryLength, start + recordLength), 16);
        if (expiry >= earliest) this.used.add(digest);
      }
      at += read;
    }
    fs.fsyncSync(this.file);
  }

  /**
   * Spends all records of a text and returns a text of as many characters, `1` for a first use and `0` for another.
   * The caller has nothing else to do meanwhile, and what arrives meanwhile is the next group; a thread for the
   * `fdatasync` would only add two changes of threads to each group.
   */
  spendAll(records) {
    let answers = '';
    let fresh = '';
    for (let start = 0; start < records.length; start += recordLength) {
      const digest = records.slice(start, start + recordLength - expiryLength);
      if (this.used.has(digest)) {
        answers += '0';
      } else {
        this.used.add(digest);
        fresh += records.slice(start, start + recordLength);
        answers += '1';
      }
    }
    if (fresh !== '') {
      const bytes = Buffer.from(fresh, 'latin1');
      for (let written = 0; written < bytes.length;) written += fs.writeSync(this.file, bytes, written);
      fs.fdatasyncSync(this.file);
    }
    return answers;
  }

  /** Serves one worker over its pipe. All of what lies in the pipe is one group. */
  serve(pipe) {
    let rest = '';
    pipe.setEncoding('latin1');
    pipe.on('data', (text) => {
      const records = rest + text;
      const whole = records.length - (records.length % recordLength);
      rest = records.slice(whole);
      if (whole > 0) pipe.write(this.spendAll(records.slice(0, whole)), 'latin1');
    });
    pipe.on('error', () => {});
  }
}

/** The log as a worker sees it: a pipe to the writer, which answers in the order of the questions. */
class RemoteLog {
  constructor(descriptor) {
    this.pipe = new net.Socket({ fd: descriptor, readable: true, writable: true });
    this.pipe.setEncoding('latin1');
    this.waiting = [];
    this.next = 0;
    this.records = '';
    this.pipe.on('data', (answers) => {
      for (let index = 0; index < answers.length; index += 1) {
        const done = this.waiting[this.next];
        this.next += 1;
        done(answers.charCodeAt(index) === 49);
      }
      if (this.next === this.waiting.length) {
        this.waiting = [];
        this.next = 0;
      } else if (this.next > 4096) {
        this.waiting.splice(0, this.next);
        this.next = 0;
      }
    });
    // Without its writer a worker cannot keep single use.
    this.pipe.on('close', () => process.exit(1));
    this.pipe.on('error', () => process.exit(1));
  }

  spend(digest, expiry, done) {
    this.records += record(digest, expiry);
    this.waiting.push(done);
  }

  /** Sends what was spent since the last call as one group. */
  flush() {
    if (this.records === '') return;
    const { records } = this;
    this.records = '';
    this.pipe.write(records, 'latin1');
  }
}

module.exports = { InMemory, Log, RemoteLog };
