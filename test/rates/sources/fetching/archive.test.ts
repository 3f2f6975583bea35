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
      addresses: () => ["A", "B"].map((table) => `${publisher.address}?table=${table}`),
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

test("an archive sends a token in a header, and a form, as its publisher wants them", async () => {
  await using publisher = await playPublisher(body(nbpTable("2024-04-02", { EUR: "4.2934" })));
  const { archive, parse } = publisherOf("nbp");
  assert.ok(archive !== undefined);
  const clock = new TestClock("2026-03-13T12:00:00.000Z");
  const fetch = (sends: NonNullable<(typeof archive)["sends"]>, token?: string) =>
    createArchive(
      {
        ...archive,
        parse,
        sends,
        tokenUrl: "https://x.org/",
        addresses: () => [publisher.address],
      },
      { userAgent: USER_AGENT, clock, ...(token && { token }) },
    ).fetchRange(RANGE, signal, async () => undefined);

  const { documents } = await fetch((_, token) => ({ headers: { "x-key": token } }), "secret");
  assert.equal(publisher.requests[0]?.["x-key"], "secret");
  assert.deepEqual(Object.keys(documents[0] ?? {}).sort(), ["address", "body", "receivedMs"]);
  assert.equal(documents[0]?.address, publisher.address);

  await fetch(({ from }) => ({ form: { From: from } }), "secret");
  assert.deepEqual(publisher.bodies.slice(1), ["GET /rates ", "POST /rates From=2024-04-01"]);

  await assert.rejects(
    fetch(() => ({})),
    /wants a token: get one at https:\/\/x\.org\//,
  );
  assert.equal(publisher.requests.length, 3);
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
