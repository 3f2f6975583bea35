import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { playSmtp, type ReceivedMail } from "../../test/support/fake-smtp-server.ts";
import { eventually, tokenOf } from "../../test/support/mails.ts";
import { serve, temporaryDirectory } from "../../test/support/process.ts";

for (const [what, isDown] of [
  ["before its delivery, while the mail server is down,", true],
  ["during its delivery", false],
] as const) {
  test(`a mail that kill -9 interrupted ${what} arrives once, and its link works`, async () => {
    await using directory = await temporaryDirectory();
    const dataDirectory = directory.path;
    await using first = await playSmtp();
    first.behave("hang in DATA");
    const { url, port } = first;
    if (isDown) await first[Symbol.asyncDispose]();
    const env = { SMTP_URL: url };
    {
      await using killed = await serve({ dataDirectory, env });
      await killed.register("ada@example.org");
      if (!isDown) await eventually("attempt", () => first.attempts() || undefined);
      await killed.kill();
    }
    await using second = isDown ? await playSmtp({ port }) : undefined;
    const smtp = second ?? first;
    assert.deepEqual(smtp.received, []);

    smtp.behave("accept");
    await using server = await serve({ dataDirectory, env });
    const arrived = await eventually("mail", () => smtp.received[0]);

    assert.deepEqual(arrived.to, ["ada@example.org"]);
    const json = { token: tokenOf(arrived.mail) };
    const answer = await server.call("POST", "/v1/auth/verification", { json });
    assert.equal(answer.status, 204, answer.text);
    assert.equal((await server.stop()).exitCode, 0);
    assert.equal(smtp.received.length, 1);
  });
}

const MAILS = "SELECT id FROM mails WHERE kind = 'quota_reached' ORDER BY id";

/** Runs a statement on the database of a stopped server, or beside it. */
function query(dataDirectory: string, sql: string): Readonly<Record<string, unknown>>[] {
  using database = new DatabaseSync(join(dataDirectory, "kurs.db"), { timeout: 5000 });
  return database.prepare(sql).all();
}

const quotaSubjects = (received: readonly ReceivedMail[]) =>
  received.map(({ mail }) => mail.subject ?? "").filter((subject) => subject.includes("quota"));

/** Makes the next look due at the next start. */
const makeDue = (dataDirectory: string) => query(dataDirectory, "DELETE FROM jobs");

test("a kill -9 before and after the mail about a quota used up at once was written neither loses nor repeats it", async () => {
  await using directory = await temporaryDirectory();
  const dataDirectory = directory.path;
  await using smtp = await playSmtp();
  const env = { SMTP_URL: smtp.url, PLAN_FREE_UNITS: "3" };
  {
    await using killed = await serve({ dataDirectory, env });
    const customer = await killed.newCustomer("ada@example.org");
    while ((await customer.read()).status !== 429);
    await eventually("first mail", () => smtp.received[0]);
    await killed.kill();
  }
  assert.deepEqual(query(dataDirectory, MAILS), []);

  makeDue(dataDirectory);
  smtp.behave("hang in DATA");
  {
    await using killed = await serve({ dataDirectory, env });
    await eventually("the mail and an attempt", () =>
      query(dataDirectory, MAILS).length === 1 && smtp.attempts() > 1 ? true : undefined,
    );
    await killed.kill();
  }
  const written = query(dataDirectory, MAILS);

  makeDue(dataDirectory);
  smtp.behave("accept");
  await using server = await serve({ dataDirectory, env });
  await eventually("the mail", () => quotaSubjects(smtp.received)[0]);
  // The next mail leaves after every mail that a look at this start would have written.
  await server.register("witness@example.org");
  await eventually("witness", () => smtp.received.find(({ to }) => to[0]?.startsWith("witness")));

  const [spent, ...more] = quotaSubjects(smtp.received);
  assert.match(spent ?? "", /^Your Kurs quota .* is used up$/);
  assert.deepEqual(more, []);
  assert.deepEqual(query(dataDirectory, MAILS), written);
  assert.equal(query(dataDirectory, "SELECT * FROM quota_notices").length, 2);
});
