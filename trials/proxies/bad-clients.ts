import { connect } from "node:net";

// What a client of a proxy can do wrong, on connections of its own.

const CONNECTIONS = 8;

/** After so long without an end the client closes the connection, whatever it got. */
const PATIENCE_MS = 300;

const HOST_LINE = "Host: (host)";

const ask = (start: string, ...lines: readonly string[]) =>
  [`${start} HTTP/1.1`, HOST_LINE, ...lines, "", ""].join("\r\n");

const JSON_TYPE = "Content-Type: application/json";
const CHUNKED = "Transfer-Encoding: chunked";

const logInOf = (bytes: number) =>
  ask("POST /v1/auth/login", JSON_TYPE, `Content-Length: ${bytes}`) + "x".repeat(bytes);

interface BadClient {
  readonly bytes: string;
  /** Ends its side after the bytes. */
  readonly hangsUp?: boolean;
  /** Resets the connection after the bytes, without reading. */
  readonly resets?: boolean;
}

export const badClients: Readonly<Record<string, BadClient>> = {
  "a bad chunk": { bytes: `${ask("POST /healthz", CHUNKED)}zz\r\nhello\r\n` },
  "a bad chunk after a good one": {
    bytes: `${ask("POST /v1/auth/login", JSON_TYPE, CHUNKED)}5\r\nhello\r\nzz\r\n`,
  },
  "a truncated chunk": { bytes: `${ask("POST /healthz", CHUNKED)}ff\r\nhello`, hangsUp: true },
  "a body cut short": {
    bytes: `${ask("POST /v1/auth/login", JSON_TYPE, "Content-Length: 900")}{"email"`,
    hangsUp: true,
  },
  "a slow body": {
    bytes: `${ask("POST /v1/auth/login", JSON_TYPE, "Content-Length: 900")}{"email"`,
  },
  "a body of 17 KiB": { bytes: logInOf(17 * 1024) },
  "a body of 500 KiB": { bytes: logInOf(500 * 1024) },
  "a body of 500 KiB and a reset": { bytes: logInOf(500 * 1024), resets: true },
  "a body of 4 MiB": { bytes: logInOf(4 * 1024 * 1024) },
  "a body of 4 MiB in chunks": {
    bytes: `${ask("POST /healthz", CHUNKED)}400000\r\n${"x".repeat(4 * 1024 * 1024)}\r\n0\r\n\r\n`,
  },
  "a slow body that is rejected": { bytes: `${ask("POST /healthz", "Content-Length: 900")}x` },
  "a body without a credential": {
    bytes: ask("POST /v1/account/api-keys", "Content-Length: 400000") + "x".repeat(400_000),
  },
  "a header of 15 KiB and one of 7": {
    bytes: ask(
      "GET /healthz",
      `A: ${"a".repeat(7000)}`,
      `B: ${"b".repeat(7000)}`,
      `C: ${"c".repeat(7000)}`,
    ),
  },
  "two lengths": {
    bytes: `${ask("POST /v1/auth/login", "Content-Length: 5", "Content-Length: 6")}hello!`,
  },
  "a length and chunks": {
    bytes: `${ask("POST /v1/auth/login", "Content-Length: 5", CHUNKED)}5\r\nhello\r\n0\r\n\r\n`,
  },
  "an unknown coding": { bytes: ask("POST /v1/auth/login", "Transfer-Encoding: gzip, chunked") },
  "an expectation without a body": {
    bytes: ask("POST /v1/auth/login", JSON_TYPE, "Expect: 100-continue", "Content-Length: 900"),
  },
  "an unknown expectation": { bytes: ask("GET /healthz", "Expect: something") },
  "an upgrade": {
    bytes: ask("GET /healthz", "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Key: x"),
  },
  CONNECT: { bytes: ask("CONNECT example.org:443") },
  "responses that are not read": { bytes: ask("GET /openapi.json").repeat(50), resets: true },
  "a reset during a read": { bytes: ask("GET /v1/rates/EUR/USD"), resets: true },
};

/** Sends the same bytes again and again, each time on a new connection. */
export async function sendBadly(url: string, badClient: BadClient, seconds: number): Promise<void> {
  const endMs = performance.now() + seconds * 1000;
  const sendOn = async () => {
    while (performance.now() < endMs) await sendOnce(url, badClient);
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, sendOn));
}

function sendOnce(url: string, { bytes, hangsUp, resets }: BadClient): Promise<void> {
  const { host, hostname, port } = new URL(url);
  const sent = bytes.replaceAll(HOST_LINE, `Host: ${host}`);
  const socket = connect({ host: hostname, port: Number(port) });
  const { promise, resolve } = Promise.withResolvers<void>();
  const patience = setTimeout(() => socket.destroy(), PATIENCE_MS);
  // The proxy may reset the connection of a client like this one.
  socket.on("error", () => undefined);
  socket.once("close", () => {
    clearTimeout(patience);
    resolve();
  });
  if (resets === true) socket.write(sent, () => socket.resetAndDestroy());
  else {
    socket.write(sent);
    if (hangsUp === true) socket.end();
    socket.once("data", () => socket.destroySoon());
  }
  return promise;
}
