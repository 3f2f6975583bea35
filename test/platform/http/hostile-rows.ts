import { ACCEPT } from "../../reads/mcp/messages.ts";
import { plainRead } from "../../support/raw-connection.ts";

// Requests that no HTTP client sends. Each is rejected as it arrives, and its connection closes.

export interface HostileRow {
  readonly what: string;
  readonly text: string;
  readonly status: 400 | 404 | 405 | 413;
  /** Of a 405. */
  readonly allow?: string;
}

const KIB_16 = 16_384;
const HOST = "Host: kurs\r\n";
const CHUNKED = "Transfer-Encoding: chunked\r\n";
const CHUNKS = "2\r\n{}\r\n0\r\n\r\n";

/** Heads that can be read in two ways, or bodies that cannot be read, behind a request's own lines. */
const framings: readonly (readonly [what: string, lines: string])[] = [
  ["a header without a colon", "broken\r\n\r\n"],
  ["a header with a space in its name", "a b: c\r\n\r\n"],
  ["a zero byte in a value", "a: \0\r\n\r\n"],
  ["a zero byte in a name", "Transfer-Encoding\0: chunked\r\n\r\n"],
  ["a length, then chunks", `Content-Length: 200\r\n${CHUNKED}\r\n0\r\n\r\n`],
  ["chunks, then a length", `${CHUNKED}Content-Length: 5\r\n\r\n0\r\n\r\n`],
  ["two codings, the second unknown", `${CHUNKED}Transfer-Encoding: x\r\n\r\n0\r\n\r\n`],
  ["a coding before chunked", `Transfer-Encoding: gzip, chunked\r\n\r\n${CHUNKS}`],
  ["a coding behind chunked", "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n"],
  ["the coding identity", "Transfer-Encoding: identity\r\n\r\n"],
  ["the coding gzip", "Transfer-Encoding: gzip\r\n\r\n"],
  ["chunked misspelt", "Transfer-Encoding: xchunked\r\nContent-Length: 5\r\n\r\n"],
  ["chunked behind a vertical tab", "Transfer-Encoding: \vchunked\r\n\r\n"],
  ["a space before a colon", "Transfer-Encoding : chunked\r\n\r\n"],
  ["a space before a length's colon", "Content-Length : 5\r\n\r\n"],
  ["a folded line", "Transfer-Encoding:\r\n chunked\r\nContent-Length: 5\r\n\r\n"],
  ["a folded value", "User-Agent: a\r\n folded\r\n\r\n"],
  ["two lengths", "Content-Length: 5\r\nContent-Length: 6\r\n\r\n"],
  ["a length of 0 and another", "Content-Length: 0\r\nContent-Length: 5\r\n\r\n"],
  ["two lengths in one", "Content-Length: 5, 60\r\n\r\n"],
  ["a length that is no number", "Content-Length: x\r\n\r\n"],
  ["a length with a plus", "Content-Length: +5\r\n\r\n"],
  ["a length with a minus", "Content-Length: -5\r\n\r\n"],
  ["a length in hexadecimal", "Content-Length: 0x5\r\n\r\n"],
  ["a length with a space within", "Content-Length: 5 5\r\n\r\n"],
  ["a length with a fraction", "Content-Length: 5.0\r\n\r\n"],
  ["a length beyond any number", `Content-Length: ${"9".repeat(30)}\r\n\r\n`],
  ["a length of other digits", "Content-Length: \xd9\xa5\r\n\r\n"],
  ["a bare LF at a line's end", "A: b\nTransfer-Encoding: chunked\r\n\r\n"],
  ["bare LFs at the head's end", "A: b\n\n"],
  ["a bare CR within a line", "A: b\rTransfer-Encoding: chunked\r\n\r\n"],
  ["a chunk without a valid size", `${CHUNKED}\r\nZZ\r\nhello\r\n0\r\n\r\n`],
  ["an invalid second chunk", `${CHUNKED}\r\n1\r\na\r\nZZ\r\n`],
  ["a chunk's size with a sign", `${CHUNKED}\r\n+5\r\nhello\r\n`],
  ["a chunk's size with 0x", `${CHUNKED}\r\n0x5\r\nhello\r\n`],
  ["a chunk's size beyond any number", `${CHUNKED}\r\n${"F".repeat(17)}\r\nhello\r\n`],
  ["a chunk's size that ends in a bare LF", `${CHUNKED}\r\n5\nhello\r\n`],
  ["a space before a chunk's size", `${CHUNKED}\r\n 5\r\nhello\r\n`],
  ["a chunk that is longer than its size", `${CHUNKED}\r\n3\r\nhello\r\n`],
  ["a bare LF behind a chunk", `${CHUNKED}\r\n5\r\nhello\n`],
  ["a line break in a chunk's extension", `${CHUNKED}\r\n5;a=\nb\r\nhello\r\n`],
];

const NO_HTTP = [
  ["no HTTP at all", "hello\r\n\r\n"],
  ["a line without target and version", "GET\r\n\r\n"],
  ["the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
  ["a TLS greeting", "\x16\x03\x01\x02\0\x01\0\r\n\r\n"],
  ["a method that is not a token", `GE(T /healthz HTTP/1.1\r\n${HOST}\r\n`],
  ["an invalid version", `GET /healthz HTTP/9.9\r\n${HOST}\r\n`],
  ["an unknown method of HTTP/2.0", `FOO /healthz HTTP/2.0\r\n${HOST}\r\n`],
] as const;

const allowed = [
  ["/v1/rates/EUR/USD", "GET, HEAD"],
  ["/v1/rates/EUR/\xc3\x84", "GET, HEAD"],
  ["http://kurs/v1/account/api-keys/1", "DELETE"],
  ["/v1/auth/login", "POST"],
  ["/healthz", "GET, HEAD"],
] as const;

/** Each row's read would be charged if it were served. */
export function hostileRows(apiKey: string): readonly HostileRow[] {
  const key = `Authorization: ApiKey ${apiKey}\r\n`;
  const json = "Content-Type: application/json\r\n";
  const doors = {
    "a read": `GET /v1/rates/EUR/USD HTTP/1.1\r\n${HOST}${key}`,
    "a log-in": `POST /v1/auth/login HTTP/1.1\r\n${HOST}${json}`,
    "an MCP call": `POST /v1/mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n${json}${key}Accept: ${ACCEPT}\r\n`,
  };
  const read = (version: string, lines = "") =>
    `GET /v1/rates/EUR/USD${version}\r\n${HOST}Connection: keep-alive\r\n${key}${lines}\r\n`;
  const bad = (what: string, text: string) => ({ what, text, status: 400 }) as const;
  const large = (where: string, text: string) =>
    ({ what: `over 16 KiB in ${where}`, text, status: 413 }) as const;
  const methods = ["FOO", "get", "GETS", "G", "*", "DESCRIBE", "PLAY", "GET_PARAMETER"];
  return [
    ...Object.entries(doors).flatMap(([door, start]) =>
      framings.map(([what, lines]) => bad(`${door} with ${what}`, start + lines)),
    ),
    ...NO_HTTP.map(([what, text]) => bad(what, text)),
    ...[" HTTP/2.0", " HTTP/0.9", "", " RTSP/1.0", " HTTP/1.1 "].map((version) =>
      bad(`a read of the version "${version}"`, read(version)),
    ),
    bad("chunks in HTTP/1.0", read(" HTTP/1.0", CHUNKED) + CHUNKS),
    bad("chunks and a length in HTTP/1.0", read(" HTTP/1.0", `${CHUNKED}Content-Length: 5\r\n`)),
    bad("a target with bytes beyond ASCII", `GET /v1/rates/\xc4/USD HTTP/1.1\r\n${HOST}${key}\r\n`),
    large("one header", `GET /healthz HTTP/1.1\r\n${HOST}a: ${"a".repeat(KIB_16)}\r\n\r\n`),
    large("many headers", `GET /healthz HTTP/1.1\r\n${HOST}${"a: aaaaaaaa\r\n".repeat(1500)}\r\n`),
    large("a credential", read(" HTTP/1.1", `Authorization: ApiKey ${"a".repeat(KIB_16)}\r\n`)),
    large("the path", `GET /${"a".repeat(KIB_16)} HTTP/1.1\r\n${HOST}\r\n`),
    ...["example.org:443", "/v1/rates/EUR/USD"].flatMap((target) =>
      ["", "Content-Length: 9\r\n"].map((length) => {
        const text = `CONNECT ${target} HTTP/1.1\r\n${HOST}${key}${length}\r\n`;
        return {
          what: `CONNECT ${target} ${length.trim()}`,
          text,
          status: 405,
          allow: "",
        } as const;
      }),
    ),
    ...methods.flatMap((method) => [
      ...allowed
        // Node.js knows some of them, and rejects the path first, as with POST.
        .filter(([path]) => !(/DESCRIBE|PLAY|_/.test(method) && path.includes("\xc3")))
        .map(([path, allow]) => {
          const text = `${method} ${path} HTTP/1.1\r\n${HOST}${key}\r\n`;
          return { what: `${method} ${path}`, text, status: 405, allow } as const;
        }),
      {
        what: `${method} /nowhere`,
        text: `${method} /nowhere HTTP/1.1\r\n${HOST}\r\n`,
        status: 404,
      } as const,
    ]),
  ];
}

/** A read that hides behind a row, and what is no request: it ends a connection that is open. */
export const behind = (apiKey: string) => `${plainRead(apiKey)}GET / HTTP/9\r\n\r\n`;
