// The metered read in plain code: Fastify and node:sqlite on the same tables, without a cache, with
// a transaction, synced to disk, for each request.
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
  SELECT k.number AS key, a.number AS account, p.units_per_period AS quota,
    coalesce(u.units, 0) AS used
  FROM api_keys k
  JOIN accounts a ON a.id = k.account_id
  JOIN plans p ON p.name = a.plan
  LEFT JOIN charged_units u ON u.period = ?2 AND u.account = a.number AND u.day = 0
  WHERE k.key_hash = ?1 AND k.revoked_at IS NULL`);
const charge = database.prepare(`
  INSERT INTO charged_units (period, account, day, api_key, units) VALUES (?1, ?2, ?3, ?4, 1)
  ON CONFLICT (period, account, day, api_key) DO UPDATE SET units = units + 1`);
const findRate = database.prepare("SELECT rate, as_of FROM rates WHERE base = ?1 AND quote = ?2");

type AccountRow = Record<"key" | "account" | "quota" | "used", number>;

function readRate(apiKey: string, base: string, quote: string) {
  const now = new Date().toISOString();
  const [period, day] = [now.slice(0, 7), Number(now.slice(8, 10))];
  begin.run();
  try {
    const found = findAccount.get(hash("sha256", apiKey), period) as AccountRow | undefined;
    if (found === undefined) return { status: 401 };
    if (found.used >= found.quota) return { status: 429 };
    charge.run(period, found.account, 0, 0);
    charge.run(period, found.account, day, found.key);
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
