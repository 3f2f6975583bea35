// The metered read as one writes it plainly: Fastify and node:sqlite on the same tables, everything
// looked up afresh, and a transaction of its own, synced to disk, for every request.
import { hash } from "node:crypto";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import Fastify from "fastify";
import { announce } from "./announce.ts";

const database = new DatabaseSync(join(process.env.DATA_DIR ?? "", "kurs.db"));
database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");

const begin = database.prepare("BEGIN IMMEDIATE");
const commit = database.prepare("COMMIT");
const rollBack = database.prepare("ROLLBACK");
const findAccount = database.prepare(`
  SELECT k.id AS key_id, a.id, p.units_per_period AS quota, coalesce(u.units, 0) AS used
  FROM api_keys k
  JOIN accounts a ON a.id = k.account_id
  JOIN plans p ON p.name = a.plan
  LEFT JOIN period_usage u ON u.account_id = a.id AND u.period = ?2
  WHERE k.key_hash = ?1 AND k.revoked_at IS NULL`);
const chargePeriod = database.prepare(`
  INSERT INTO period_usage (account_id, period, units) VALUES (?1, ?2, 1)
  ON CONFLICT (account_id, period) DO UPDATE SET units = units + 1`);
const chargeDay = database.prepare(`
  INSERT INTO daily_usage (account_id, day, api_key_id, units) VALUES (?1, ?2, ?3, 1)
  ON CONFLICT (account_id, day, api_key_id) DO UPDATE SET units = units + 1`);
const findRate = database.prepare("SELECT rate, as_of FROM rates WHERE base = ?1 AND quote = ?2");

type AccountRow = Record<"key_id" | "id", string> & Record<"quota" | "used", number>;

function readRate(apiKey: string, base: string, quote: string) {
  const now = new Date().toISOString();
  const [period, day] = [now.slice(0, 7), now.slice(0, 10)];
  begin.run();
  try {
    const account = findAccount.get(hash("sha256", apiKey), period) as AccountRow | undefined;
    if (account === undefined) return { status: 401 };
    if (account.used >= account.quota) return { status: 429 };
    chargePeriod.run(account.id, period);
    chargeDay.run(account.id, day, account.key_id);
    const rate = findRate.get(base, quote);
    commit.run();
    return rate === undefined
      ? { status: 404 }
      : { status: 200, body: { base, quote, rate: rate.rate, as_of: rate.as_of, type: "direct" } };
  } finally {
    if (database.isTransaction) rollBack.run();
  }
}

const app = Fastify();
app.get<{ Params: { base: string; quote: string } }>("/v1/rates/:base/:quote", (request, reply) => {
  const apiKey = request.headers.authorization?.replace("ApiKey ", "") ?? "";
  const { status, body } = readRate(apiKey, request.params.base, request.params.quote);
  reply.code(status).send(body ?? { code: String(status) });
});
announce(await app.listen({ port: 0, host: "127.0.0.1" }));
