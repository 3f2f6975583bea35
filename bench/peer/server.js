// A peer: better-auth's API keys, whose `remaining` it decrements at each verification, on SQLite
// with the same guarantee (every commit synced to disk), in front of a table of rates.
import { createServer } from "node:http";
import { join } from "node:path";
import { env } from "node:process";
import { DatabaseSync } from "node:sqlite";
import { apiKey } from "@better-auth/api-key";
import { betterAuth } from "better-auth";
import { getMigrations } from "better-auth/db/migration";

const accounts = Number(env.ACCOUNTS);
const pairs = Number(env.PAIRS);
const unitsEach = Number(env.UNITS);

const database = new DatabaseSync(join(env.DATA_DIR ?? "", "peer.db"));
database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
database.exec("CREATE TABLE rates (base TEXT, quote TEXT, rate TEXT, PRIMARY KEY (base, quote))");

let made = 0;
const auth = betterAuth({
  database,
  secret: "a secret that only this benchmark uses, not production",
  baseURL: "http://127.0.0.1",
  telemetry: { enabled: false },
  logger: { disabled: true },
  emailAndPassword: { enabled: true },
  rateLimit: { enabled: false },
  plugins: [
    apiKey({
      rateLimit: { enabled: false },
      defaultPrefix: "svc_live_",
      customKeyGenerator: ({ prefix }) => prefix + (made++).toString(16).padStart(64, "0"),
    }),
  ],
});

await (await getMigrations(auth.options)).runMigrations();
const addRate = database.prepare("INSERT INTO rates VALUES (?, 'USD', ?)");
for (let pair = 0; pair < pairs; pair += 1) {
  const digits = String(pair).padStart(5, "0");
  addRate.run(`X${digits}`, `1.${digits}`);
}
const { user } = await auth.api.signUpEmail({
  body: { email: "bench@example.org", name: "bench", password: "a bench password" },
});
for (let account = 0; account < accounts; account += 1) {
  await auth.api.createApiKey({ body: { userId: user.id, remaining: unitsEach } });
}

const findRate = database.prepare("SELECT rate FROM rates WHERE base = ? AND quote = ?");

/** @param {import("node:http").IncomingMessage} request */
async function readRate({ url = "", headers }) {
  const key = headers.authorization?.replace("ApiKey ", "") ?? "";
  const { valid } = await auth.api.verifyApiKey({ body: { key } });
  if (!valid) return { status: 401, body: {} };
  const [base = "", quote = ""] = url.split("/").slice(3);
  const found = findRate.get(base, quote);
  if (found === undefined) return { status: 404, body: {} };
  return { status: 200, body: { base, quote, rate: found.rate, type: "direct" } };
}

const server = createServer(async (request, response) => {
  const { status, body } = await readRate(request);
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
});

server.listen(0, "127.0.0.1", () => {
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  const url = `http://127.0.0.1:${port}`;
  console.log(JSON.stringify({ time: new Date().toISOString(), msg: "listening", url }));
});
