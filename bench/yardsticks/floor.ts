// The floor of a metered read: a server that only makes its system calls. It reads each request,
// writes and syncs one page of a write-ahead log for the requests of an event-loop iteration, then
// writes their responses and, later, their log lines. It parses, hashes, looks up and counts nothing.
// SQLite's calls for locks are missing: some six for each batch.
import { closeSync, fdatasyncSync, openSync, unlinkSync, write, writeSync } from "node:fs";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readIntoSharedBuffer } from "../../src/platform/http/fast-path/socket-reader.ts";
import { announce } from "./announce.ts";
import { staticRate } from "./static-rate.ts";

/** As long as the response of a metered read. */
const RESPONSE_BYTES = 653;
/** As long as a line of the access log. */
const LOG_LINE = `${"x".repeat(177)}\n`;
/** How many characters of the log are written together. */
const LOG_GATHERED = 16_000;

/** A page's header and the page, which SQLite writes one after the other. */
const FRAME_PARTS = [Buffer.alloc(24), Buffer.alloc(4096)] as const;
/** At its end, a write-ahead log is begun again. */
const WAL_PAGES = 1000;

const head = `HTTP/1.1 200 OK\r\ncontent-length: ${staticRate.length}\r\nx-padding: `;
const padding = RESPONSE_BYTES - head.length - "\r\n\r\n".length - staticRate.length;
const response = `${head}${"x".repeat(padding)}\r\n\r\n${staticRate}`;

const directory = process.env.DATA_DIR ?? tmpdir();
const walFile = join(directory, `floor-${process.pid}.wal`);
const wal = openSync(walFile, "w");
for (let page = 0; page < WAL_PAGES; page += 1) writePage(page);

let waiting: Socket[] = [];
let pages = 0;
let lines = "";

const server = createServer((socket) => {
  socket.on("error", () => socket.destroy());
  readIntoSharedBuffer(socket, () => {
    if (waiting.length === 0) setImmediate(respondToAll);
    waiting.push(socket);
  });
});

function respondToAll(): void {
  const sockets = waiting;
  waiting = [];
  pages += 1;
  writePage(pages % WAL_PAGES);
  fdatasyncSync(wal);
  for (const socket of sockets) {
    socket.write(response, "latin1");
    lines += LOG_LINE;
  }
  if (lines.length >= LOG_GATHERED) {
    write(process.stdout.fd, lines, throwIfFailed);
    lines = "";
  }
}

function writePage(page: number): void {
  let position = page * (FRAME_PARTS[0].length + FRAME_PARTS[1].length);
  for (const part of FRAME_PARTS) {
    writeSync(wal, part, 0, part.length, position);
    position += part.length;
  }
}

function throwIfFailed(error: Error | null): void {
  if (error !== null) throw error;
}

process.once("SIGTERM", () => {
  closeSync(wal);
  unlinkSync(walFile);
  process.exit(0);
});

server.listen(0, "127.0.0.1", () => {
  announce(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
