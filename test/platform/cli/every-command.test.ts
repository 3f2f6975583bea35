import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { engines, startServiceOn } from "../../support/both-engines.ts";
import type { Customer } from "../../support/client.ts";
import { kursUnchecked } from "../../support/command-line.ts";
import { type Ended, Program } from "../../support/process.ts";
import { startRelay } from "../../support/stalls.ts";

// 16 s of processor time: each command once as a process of its own, as an operator runs it, and
// on PostgreSQL twice in this process.

/** A command, what it prints, and the text on its stdin. */
type Use = readonly [command: string, printed: RegExp, input?: string];

const RATES = "base,quote,rate,as_of\nEUR,USF,1.5,2026-11-20T15:00:00Z\n";

/** Correct uses of the commands on accounts, keys, plans, usage and rates, one after the other. */
const usesBy = ({ email, keyId, apiKey, session }: Customer): readonly Use[] => [
  ["plans set pro 5000", /^plan pro has 5000 units per period$/],
  ["plans set old 1", /^plan old has 1 unit per period$/],
  ["plans delete old", /^plan old is deleted$/],
  ["plans list", /^pro +5000$/m],
  [`accounts plan ${email} pro`, /is on plan pro$/],
  [`accounts quota ${email} 25000 --until 2999-01-01`, /25000 units per period, until 2999-/],
  [`accounts quota ${email} plan`, /has the quota of its plan$/],
  [`accounts customer ${email} K-1`, /has the customer number K-1$/],
  [`units grant ${email} 50 --reference 4711`, /is granted 50 units, for 4711; the grant is \S+$/],
  [`units list ${email}`, / +50 +0 +50 +\S+Z +- +- +4711$/m],
  ["accounts list --limit 1", /^ada@example\.org +pro /m],
  [`accounts show ${email} --json`, /"plan": "pro"/],
  [`accounts verify ${email}`, /is verified$/],
  ["accounts invite eve@example.org --plan pro", /eve@example\.org/],
  ["accounts invitations", /^eve@example\.org +pro +\S+Z +\S+Z$/m],
  ["accounts create bob@example.org", /bob@example\.org/],
  [`accounts quota-mails ${email} off`, /gets no mails about/],
  [`accounts suspend ${email}`, /is suspended$/],
  [`accounts resume ${email}`, /is active again$/],
  [`accounts reset-link ${email}`, /\/reset#token=[0-9a-f]{64}$/],
  [`accounts export ${email}`, /^ {2}"api_keys": \[$/m],
  [`keys create ${email} --name nightly`, /^svc_live_[0-9a-f]{64}$/],
  [`keys list ${email}`, new RegExp(`^${keyId} `, "m")],
  ["keys burn - --dry-run", /1 /, `key=${apiKey} token=${session}`],
  ["keys burn -", /svc_live_[0-9a-f]{8} /, `key=${apiKey}`],
  [`accounts sessions end ${email}`, /1 session ended$/],
  [
    "usage export --period 2026-11",
    /^account_id,.*,customer_number\n.*,ada@example\.org,pro,5000,1,1,0,,K-1$/m,
  ],
  ["usage export --period 2026-11 --per-key-and-day", /,2026-11-21,[0-9a-f-]{36},svc_live_/],
  ["usage export --period 2026-11 --format ndjson", /"units":1,"plan_units":1,"gra/m],
  // On PostgreSQL a transaction that writes nothing, and so has no number to ask for.
  ["rates import - --dry-run", /^would store 1, unchanged 0, would hold 0, would reject 0/m, RATES],
  ["rates import -", /^stored 1, unchanged 0, held 0, rejected 0$/, RATES],
  ["rates backfill", /^ecb +1999-01-04 +1 /m],
  ["rates history EUR USF", /^ *1\.5 +2026-11-20T15:00:00Z +\S+ +import +[0-9a-f]{12}$/m],
  ["rates history EUR USF --from 2026-11-20 --to 2026-11-20 --json", /"rate":"1\.5"/],
  ["rates trace EUR USF", /^line +2$/m],
  ["rates list EUR USF", /^import +middle +2026-11-20 +1\.5 .* served$/m],
  ["rates history EUR USF --source import", /^2026-11-20 +1\.5 /m],
  ["rates trace EUR USF --source import --at 2026-11-21", /^series +middle figure of 2026-11-20$/m],
  ["rates evidence EUR USF 2026-11-20 --source import --rule on --out -", /^ {2}"rate": "1\.5",$/m],
  ["rates verify --source import", /series: 0 figures verified, 1 imported$/],
  ["rates recheck -", /^1 figure: 1 unchanged$/, "date,base,quote,rate\n20.11.2026,EUR,USF,1.50\n"],
  ["rates export --format ledger --source import", /^P 2026-11-20 EUR 1\.5 USF$/m],
  ["rates document import --list", / +[0-9]+ +[0-9a-f]{64} +-$/m],
  ["rates compare EUR --json", /^\[/],
  ["rates verify", /^verified [0-9]+ figures? in 1 document; 1 imported figure comes from a file/],
  ["rates delete EUR USF", /^EUR\/USF is deleted: 1\.5 as of 2026-11-20T15:00:00Z from import$/],
  ["audit --account ada@example.org", /api_key\.revoked .* reason=burned$/m],
  ["audit --json", /"action":"rates\.imported"/],
  ["docs", /^alarms\/kurs-down +KursDown$/m],
  [`accounts delete ${email} --yes`, /is deleted; its id was [0-9a-f-]{36}$/m],
];

/** The events of these uses. */
const AUDITED = [
  ...["plan.set", "plan.deleted", "account.plan_changed", "email.verified", "account.invited"],
  ...["api_key.created", "account.created", "account.quota_mails_changed", "account.suspended"],
  ...["account.resumed", "password.reset_link_created", "account.export_begun"],
  ...["account.exported", "api_key.revoked", "sessions.ended", "rates.imported", "rate.deleted"],
  ...["account.quota_changed", "account.customer_number_changed", "units.granted"],
  "account.deleted",
];

const targetOf = (url = "") => ({ port: Number(new URL(url).port), url: () => url });

for (const place of [...engines, "postgres, whose connections break at each commit"] as const) {
  suite(`every command of an operator on ${place}`, () => {
    test("does what it says beside a running server, and its effect is in the audit log", async () => {
      await using on = await startServiceOn(place === "sqlite" ? place : "postgres");
      const { service } = on;
      await using relay = place.includes(",") ? await startRelay(targetOf(on.url)) : undefined;
      relay?.loseAnswerTo("COMMIT", { times: Number.POSITIVE_INFINITY });
      const url = relay?.url ?? on.url;
      const ada = await service.newCustomer("ada@example.org");
      assert.equal((await ada.read()).status, 200);
      const env = { PORT: "8080", ...(url === undefined ? {} : { DATABASE_URL: url }) };
      const { dataDirectory } = service;
      /** Not checked for secrets: a reset link is one. On one engine as real processes. */
      const run = (command: string, input = ""): Promise<Ended> =>
        place === "sqlite"
          ? new Program(command.split(" "), { dataDirectory, env, input }).ended
          : kursUnchecked(command.split(" "), { dataDirectory, env, input });

      for (const [command, printed, input] of usesBy(ada)) {
        const { exitCode, stdout, stderr } = await run(command, input);
        assert.equal(exitCode, 0, `${command}: ${stderr}`);
        assert.match(stdout.trimEnd(), printed, command);
        const shown = command.startsWith("keys create") ? stderr : stdout + stderr;
        assert.doesNotMatch(shown, /svc_(?:live|sess)_[0-9a-f]{9}/, command);
      }

      assert.equal((await ada.read()).status, 401);
      const events = (await run("audit --json")).stdout.trimEnd().split("\n");
      const actions = new Set(
        events.map((line) => (JSON.parse(line) as { action: string }).action),
      );
      for (const action of AUDITED) assert.ok(actions.has(action), `no ${action}`);
    });
  });
}
