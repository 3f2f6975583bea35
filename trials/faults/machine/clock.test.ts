import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { Row } from "../../../src/platform/storage/engine.ts";
import { newInvitation } from "../../../test/contract/suite/customers.ts";
import { byAt } from "../../../test/contract/suite/origins.ts";
import {
  engines,
  type ServiceOnEngine,
  startServiceOn,
} from "../../../test/support/both-engines.ts";
import { playSmtp } from "../../../test/support/fake-smtp-server.ts";
import { eventually } from "../../../test/support/mails.ts";
import { connectTo } from "../../../test/support/nodes.ts";
import { startService, TestClock } from "../../../test/support/service.ts";

const NOW = "2026-12-01T00:00:10.000Z";
const AHEAD = "2028-04-14T00:00:10.000Z";

/** What a wrong clock must not remove, and the mails that it must not give up. */
const COUNTS = `
  SELECT (SELECT count(*) FROM sessions) AS sessions, (SELECT count(*) FROM mail_tokens) AS tokens,
    (SELECT count(*) FROM invitations) AS invitations, (SELECT count(*) FROM events) AS events,
    (SELECT count(*) FROM observations) AS observations,
    (SELECT count(*) FROM mails WHERE given_up_at IS NULL) AS mails`;

const REPLACED = `
  INSERT INTO observations
    (base, quote, sequence, rate, as_of, source, stored_at, publication)
  SELECT base, quote, 2, rate, as_of, source, '${NOW}', 1 FROM rates`;

for (const engine of engines) {
  suite(`a clock that runs 500 days ahead on one of two nodes on ${engine}`, () => {
    test("removes and gives up nothing, until an operator accepts it", async () => {
      await using smtp = await playSmtp();
      smtp.behave({ reject: "RCPT", code: 450, message: "mailbox busy" });
      const settings = { smtpUrl: smtp.url, historyDays: 30, auditDays: 365 };
      const options = { clock: new TestClock(NOW), config: settings };
      await using on = await startServiceOn(engine, options);
      await using store = await on.openStore();
      const { service, config } = on;
      const { dataDirectory } = service;
      await service.openSession("ada@example.org");
      const invited = { createdAt: NOW, expiresAt: "2026-12-08T00:00:10.000Z" };
      await store.invitations.create(newInvitation(invited), byAt(NOW));
      await queryOn(on, REPLACED);
      await queryOn(on, "UPDATE rates SET observation = 2");
      const [before] = await queryOn(on, COUNTS);
      const pairs = Number(before?.observations) / 2;
      assert.ok(pairs > 100 && Number(before?.events) >= 3, JSON.stringify(before));
      const startAhead = () => startService({ dataDirectory, config, clock: new TestClock(AHEAD) });
      {
        await using wrong = await startAhead();
        const linesOf = (what: RegExp) => wrong.logLines.filter((line) => what.test(line)).length;
        await eventually("attempt for each mail", () => linesOf(/"a mail /) >= 2 || undefined);
        await eventually("warning", () => linesOf(/kurs clock accept/) === 1 || undefined);
      }
      assert.deepEqual(await queryOn(on, COUNTS), [before]);

      await store.trustedTime.accept(byAt(AHEAD));
      await using right = await startAhead();
      const left = { sessions: 0, tokens: 0, invitations: 0, observations: pairs, mails: 0 };
      await eventually("removal of all", async () => {
        const [counts] = await queryOn(on, COUNTS);
        const isDone = Object.entries(left).every(
          ([name, count]) => Number(counts?.[name]) === count,
        );
        return isDone || undefined;
      });
      assert.doesNotMatch(right.logLines.join(), /clock accept/);
    });
  });
}

async function queryOn({ service, url }: ServiceOnEngine, sql: string): Promise<readonly Row[]> {
  if (url === undefined) return service.query(sql);
  await using client = await connectTo(url);
  return (await client.query<Row>(sql)).rows;
}
