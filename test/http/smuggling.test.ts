import assert from "node:assert/strict";
import { test } from "node:test";
import { openWire } from "../support/raw-connection.ts";
import { startSharedService } from "../support/service.ts";

// A proxy sends the requests of many clients over one connection, one after the other. No part of
// one client's request may be read as the next request, which is another client's.

const service = await startSharedService();

const { session, apiKey } = await service.newCustomer();

const HIDDEN = `GET /v1/rates/EUR/USD HTTP/1.1\r\nHost: x\r\nAuthorization: ApiKey ${apiKey}\r\n\r\n`;
const POST = "POST /v1/auth/login HTTP/1.1\r\nHost: kurs\r\nContent-Type: application/json\r\n";
const GET = "GET /healthz HTTP/1.1\r\nHost: kurs\r\n";
const CHUNKS_THEN_HIDDEN = `0\r\n\r\n${HIDDEN}`;
const LENGTH_OF_ALL = CHUNKS_THEN_HIDDEN.length;

/** Each can be read in two ways, one of which contains a second request. */
const ambiguous = [
  ["CL.TE", `${POST}Content-Length: ${LENGTH_OF_ALL}\r\nTransfer-Encoding: chunked\r\n\r\n`],
  ["TE.CL", `${POST}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n`],
  [
    "TE.TE, the second unknown",
    `${POST}Transfer-Encoding: chunked\r\nTransfer-Encoding: x\r\n\r\n`,
  ],
  ["chunked that is not the last", `${POST}Transfer-Encoding: chunked, identity\r\n\r\n`],
  ["chunked misspelt", `${POST}Transfer-Encoding: xchunked\r\nContent-Length: 5\r\n\r\n`],
  ["chunked behind a vertical tab", `${POST}Transfer-Encoding: \vchunked\r\n\r\n`],
  ["a space before the colon", `${POST}Transfer-Encoding : chunked\r\n\r\n`],
  ["a folded line", `${POST}Transfer-Encoding:\r\n chunked\r\nContent-Length: 5\r\n\r\n`],
  ["a folded header in front", `${POST} Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n`],
  ["two lengths", `${POST}Content-Length: 5\r\nContent-Length: ${LENGTH_OF_ALL}\r\n\r\n`],
  ["two lengths in one", `${POST}Content-Length: 5, ${LENGTH_OF_ALL}\r\n\r\n`],
  ["a length with a plus", `${POST}Content-Length: +5\r\n\r\n`],
  ["a length with a minus", `${POST}Content-Length: -5\r\n\r\n`],
  ["a length in hexadecimal", `${POST}Content-Length: 0x5\r\n\r\n`],
  ["a length with a space within", `${POST}Content-Length: 5 5\r\n\r\n`],
  ["a length with a fraction", `${POST}Content-Length: 5.0\r\n\r\n`],
  ["a length beyond any number", `${POST}Content-Length: ${"9".repeat(30)}\r\n\r\n`],
  ["a length of other digits", `${POST}Content-Length: \xd9\xa5\r\n\r\n`],
  ["a bare LF at a line's end", `${GET}A: b\nTransfer-Encoding: chunked\r\n\r\n`],
  ["a bare CR within a line", `${GET}A: b\rTransfer-Encoding: chunked\r\n\r\n`],
  ["a zero byte in a name", `${POST}Transfer-Encoding\0: chunked\r\n\r\n`],
  [
    "HTTP/1.0 with chunks and a length",
    `${POST.replace("1.1", "1.0")}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n`,
  ],
] as const;

for (const [what, head] of ambiguous) {
  test(`smuggling: ${what} is rejected, and the connection closes before the rest is read`, async () => {
    const before = await service.usedUnits(session);
    using wire = await openWire(service.url);

    wire.send(head + CHUNKS_THEN_HIDDEN);
    const { status, lines } = await wire.answer();
    await wire.untilEnd();

    assert.equal(status, 400);
    assert.ok(
      lines.some((line) => /^connection: close$/i.test(line)),
      lines.join("\n"),
    );
    assert.equal(wire.received(), "", "a second response came");
    assert.equal(await service.usedUnits(session), before);
  });
}

const badChunks = [
  ["a size with a sign", "+5\r\nhello\r\n"],
  ["a size with 0x", "0x5\r\nhello\r\n"],
  ["a size beyond any number", `${"F".repeat(17)}\r\nhello\r\n`],
  ["a size that ends in a bare LF", "5\nhello\r\n"],
  ["a space before the size", " 5\r\nhello\r\n"],
  ["a chunk that is longer than its size", "3\r\nhello\r\n"],
  ["a bare LF behind a chunk", "5\r\nhello\n"],
  ["a line break in an extension", "5;a=\nb\r\nhello\r\n"],
] as const;

for (const [what, chunk] of badChunks) {
  test(`smuggling: in chunks, ${what} is rejected, and the connection closes`, async () => {
    const before = await service.usedUnits(session);
    using wire = await openWire(service.url);

    wire.send(`${POST}Transfer-Encoding: chunked\r\n\r\n${chunk}${CHUNKS_THEN_HIDDEN}`);
    const { status } = await wire.answer();
    await wire.untilEnd();

    assert.equal(status, 400);
    assert.equal(wire.received(), "", "a second response came");
    assert.equal(await service.usedUnits(session), before);
  });
}

test("smuggling: valid requests on one connection get one response each, whatever their bodies", async () => {
  const before = await service.usedUnits(session);
  using wire = await openWire(service.url);
  const body = JSON.stringify({ email: HIDDEN, password: CHUNKS_THEN_HIDDEN });
  const chunk = `${body.length.toString(16)};name="value"\r\n${body}\r\n`;

  for (const request of [
    `${POST}Content-Length: ${body.length}\r\n\r\n${body}`,
    `${POST}Transfer-Encoding: chunked\r\n\r\n${chunk}0\r\nTrailer: x\r\n\r\n`,
    `${GET}Content-Length: ${HIDDEN.length}\r\n\r\n${HIDDEN}`,
  ]) {
    wire.send(request);
    const { status } = await wire.answer();
    assert.ok([200, 400].includes(status));
    assert.equal(wire.received(), "", "a second response came");
  }

  assert.equal(await service.usedUnits(session), before);
});
