import type { Draws } from "../support/random.ts";

const tokens = [
  ...["\r\n", "\n", "\r", "\r\n\r\n", "\0", " ", "\t", ":", "%", "/", "\xff", "\x1b[2J", "\x7f"],
  ...["Transfer-Encoding: chunked\r\n", "Content-Length: 5\r\n", "Content-Length: +5\r\n"],
  ...["Content-Length: 5, 5\r\n", "Content-Length: 0x5\r\n", "Content-Length: -1\r\n"],
  ...["Transfer-Encoding: xchunked\r\n", "Transfer-Encoding : chunked\r\n", " folded\r\n"],
  ...["0\r\n\r\n", "5;ext=1\r\nhello\r\n", "FFFFFFFFFFFFFFFF\r\n", "Host: b\r\n", "HTTP/1.1"],
  ...["Connection: close\r\n", "Expect: 100-continue\r\n", "GET / HTTP/1.1\r\nHost: a\r\n\r\n"],
];

/** Changes the bytes of a request in one random way. */
export function brokenBytes(bytes: Buffer, draw: Draws): Buffer {
  const change = draw.one(changes);
  return change(bytes, draw);
}

type Change = (bytes: Buffer, draw: Draws) => Buffer;

const spliced = (bytes: Buffer, start: number, removed: number, added: Buffer): Buffer =>
  Buffer.concat([bytes.subarray(0, start), added, bytes.subarray(start + removed)]);

const NOTHING = Buffer.alloc(0);

const changes: readonly Change[] = [
  function flipBit(bytes, draw) {
    const copy = Buffer.from(bytes);
    const index = draw.below(Math.max(1, copy.length));
    if (copy.length > 0) copy.writeUInt8((copy[index] ?? 0) ^ (1 << draw.below(8)), index);
    return copy;
  },
  function setByte(bytes, draw) {
    return spliced(bytes, draw.below(bytes.length + 1), 1, Buffer.from([draw.below(256)]));
  },
  function insertToken(bytes, draw) {
    const token = Buffer.from(draw.one(tokens), "latin1");
    return spliced(bytes, draw.below(bytes.length + 1), 0, token);
  },
  function insertLine(bytes, draw) {
    const ends = [...bytes.toString("latin1").matchAll(/\r\n/g)].map(({ index }) => index + 2);
    const token = Buffer.from(draw.one(tokens), "latin1");
    return spliced(bytes, ends.length === 0 ? 0 : draw.one(ends), 0, token);
  },
  function remove(bytes, draw) {
    return spliced(bytes, draw.below(bytes.length + 1), 1 + draw.below(20), NOTHING);
  },
  function repeat(bytes, draw) {
    const start = draw.below(bytes.length + 1);
    const part = bytes.subarray(start, start + 1 + draw.below(40));
    return spliced(bytes, start, 0, part);
  },
  function cutShort(bytes, draw) {
    return bytes.subarray(0, draw.below(bytes.length + 1));
  },
  function bareLines(bytes) {
    return Buffer.from(bytes.toString("latin1").replaceAll("\r\n", "\n"), "latin1");
  },
  function bareReturn(bytes) {
    return Buffer.from(bytes.toString("latin1").replace("\r\n", "\r"), "latin1");
  },
  function duplicate(bytes) {
    return Buffer.concat([bytes, bytes]);
  },
];
