import assert from "node:assert/strict";
import { test } from "node:test";
import { createArchive } from "../../../../src/rates/sources/fetching/publisher-source.ts";
import { SourceError } from "../../../../src/rates/sources/source.ts";
import { body, nbpTable, playPublisher, USER_AGENT } from "../../../support/fake-publisher.ts";
import { TestClock } from "../../../support/service.ts";
import { publisherOf } from "../publishers/recorded.ts";

const RANGE = { from: "2024-04-01", to: "2024-06-30", requests: 2 };
const { signal } = new AbortController();

/** NBP's archive at a server that plays it: two requests for each quarter. */
async function playArchive(isAbsentBy404 = true) {
  const publisher = await playPublisher(body(nbpTable("2024-04-02", { EUR: "4.2934" })));
  const { archive, parse } = publisherOf("nbp");
  assert.ok(archive !== undefined);
  const pauses: number[] = [];
  const played = createArchive(
    {
      ...{ ...archive, parse },
      isAbsentBy404,
      requests: () =>
        ["A", "B"].map((table) => ({ address: `${publisher.address}?table=${table}` })),
    },
    { userAgent: USER_AGENT, clock: new TestClock("2026-03-13T12:00:00.000Z") },
  );
  const fetch = () =>
    played.fetchRange(RANGE, signal, async () => {
      pauses.push(publisher.requests.length);
    });
  return {
    publisher,
    pauses,
    fetch,
    ranges: played.rangesOf({ from: "2024-04-01", to: "2024-09-30" }),
    [Symbol.asyncDispose]: () => publisher[Symbol.asyncDispose](),
  };
}

test("an archive is asked for one address after the other, with a pause before each", async () => {
  await using archive = await playArchive();

  const { documents, lines } = await archive.fetch();

  assert.deepEqual(archive.pauses, [0, 1]);
  assert.deepEqual(
    documents.map(({ address }) => new URL(address).search),
    ["?table=A", "?table=B"],
  );
  assert.deepEqual(
    lines.map(({ place }) => place),
    [0, 1],
  );
  assert.ok(archive.publisher.requests.every((headers) => headers["user-agent"] === USER_AGENT));
  assert.deepEqual(archive.ranges, [
    { from: "2024-04-01", to: "2024-06-30", requests: 2 },
    { from: "2024-07-01", to: "2024-09-30", requests: 2 },
  ]);
});

test("an archive's request may be a form, and its token is in no document", async () => {
  await using publisher = await playPublisher(body(nbpTable("2024-04-02", { EUR: "4.2934" })));
  const { archive, parse } = publisherOf("nbp");
  assert.ok(archive !== undefined);
  const settings = { userAgent: USER_AGENT, clock: new TestClock("2026-03-13T12:00:00.000Z") };
  const wanted = { ...archive, parse, tokenUrl: "https://example.org/" };
  const { address } = publisher;
  const headers = (token: string) => ({ address, headers: { "x-key": token } });
  const requests: typeof archive.requests = ({ from }, token) => [
    headers(token),
    { address, form: { From: from } },
  ];
  const played = createArchive({ ...wanted, requests }, { ...settings, token: "secret" });
  const pause = async () => undefined;

  const { documents } = await played.fetchRange(RANGE, signal, pause);

  assert.equal(publisher.requests[0]?.["x-key"], "secret");
  assert.deepEqual(publisher.bodies.slice(1), ["GET /rates ", "POST /rates From=2024-04-01"]);
  for (const document of documents) {
    assert.deepEqual(Object.keys(document).sort(), ["address", "body", "receivedMs"]);
    assert.equal(document.address, address);
  }
  const without = createArchive({ ...wanted, requests }, settings);
  await assert.rejects(without.fetchRange(RANGE, signal, pause), /wants a token: get one at/);
});

test("404 means no figures only where the publisher says so", async () => {
  const absent = (response: { writeHead(status: number): { end(): void } }) =>
    void response.writeHead(404).end();
  await using archive = await playArchive();
  archive.publisher.behave(absent);
  assert.deepEqual(await archive.fetch(), { documents: [], lines: [] });

  await using other = await playArchive(false);
  other.publisher.behave(absent);
  await assert.rejects(other.fetch(), /responded with 404/);
  assert.equal(other.publisher.requests.length, 1);
});

test("another status and another layout are errors of the source; a size beyond a day's is none", async () => {
  await using archive = await playArchive();
  archive.publisher.behave((response) => void response.writeHead(503).end());
  await assert.rejects(archive.fetch(), (error) => {
    assert.ok(error instanceof SourceError);
    assert.match(error.message, /responded with 503/);
    return true;
  });
  archive.publisher.behave(body("<html>Przerwa techniczna</html>"));
  await assert.rejects(archive.fetch(), /the response cannot be read: it is an HTML page/);

  const padding = " ".repeat(9 * 1024 * 1024);
  archive.publisher.behave(body(`${nbpTable("2024-04-02", { EUR: "4.2934" })}${padding}`));

  assert.equal((await archive.fetch()).lines.length, 2);
});
