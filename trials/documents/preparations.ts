import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { copyFile, cp, mkdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { converting, startModel } from "../../test/examples/model.ts";
import { playArchives } from "../../test/rates/backfill/played.ts";
import { body, playPublisher } from "../../test/support/fake-publisher.ts";
import { newBareDatabase } from "../../test/support/postgres-databases.ts";
import { command, type Installation, OWNER } from "./installation.ts";
import { assertHeaders, fetchPolishFigures } from "./stores.ts";

type Values = Readonly<Record<string, string>>;

/** Where a document is read. */
export interface Place {
  /** The document's blocks begin here. */
  readonly folder: string;
  /** Of a store, which has the accounts of the installation. */
  readonly dataDirectory: string;
  /** The machine's root. */
  readonly machine: string;
  readonly installation: Installation;
  /** Ends with the document. */
  readonly resources: AsyncDisposableStack;
  /** What stands in the blocks for values of the reader: a preparation adds its own. */
  readonly values: Record<string, string>;
  /** The environment of the blocks, likewise. */
  readonly env: Record<string, string>;
}

/** What a document expects of its reader. Without one its blocks run as they are. */
export interface Preparation {
  /** Whether the blocks begin in a clone of the project. */
  readonly isInClone?: boolean;
  /** What stands in the blocks for values of the reader. */
  readonly values?: Values;
  /** Makes what the blocks use. */
  readonly before?: (place: Place) => Promise<void>;
  /** The exit code of a block, by the beginning of its text, where the document states one. */
  readonly exits?: Readonly<Record<string, number>>;
  /** What the blocks print. */
  readonly prints?: readonly RegExp[];
  /** Checks what each of the blocks printed. */
  readonly check?: (outputs: readonly string[]) => void;
}

const isInClone = true;

/** The server's log as a file. */
const withLog = ({ folder, installation }: Place) =>
  writeFile(join(folder, "kurs.log"), installation.log());

async function withPostgres({ resources, values }: Place): Promise<void> {
  const { url } = resources.use(await newBareDatabase());
  // In the environment it would be the database of every command.
  values.$DATABASE_URL = url;
}

/** Publishers in the place of the real ones. */
async function withPublishers({ resources, env }: Place): Promise<void> {
  Object.assign(env, resources.use(await playArchives()).env);
}

/** A date of the bundled snapshot's figures. */
const DAY = "2026-03-13";

/** What the commands of docs/operating/exports.md push of the pair EUR/USD. */
const PUSHED = [
  `/api/v1/exchange-rates {"date":"${DAY}","from":"EUR","to":"USD","rate":"1.1476"}`,
  `/api/resource/Currency%20Exchange {"date":"${DAY}","from_currency":"EUR","to_currency":"USD","exchange_rate":1.1476,"for_buying":1,"for_selling":1}`,
  `/json/2/res.currency.rate/load {"fields":["id","name","currency_id","company_rate"],"data":[["kurs_eur_usd_2026_03_13","${DAY}","USD","1.1476"]]}`,
];

/** A server in the place of the programs that take rates, and the file of a journal. */
async function withBookkeeping({ folder, env, resources }: Place): Promise<void> {
  const server = resources.use(await playPublisher(body("{}")));
  for (const name of ["firefly", "erpnext", "odoo"]) {
    env[`${name.toUpperCase()}_URL`] = server.address;
    await writeFile(join(folder, `${name}.header`), "Authorization: Bearer secret-of-a-program\n");
  }
  resources.defer(async () => {
    const posts = PUSHED.map((post) => `POST /rates${post}`);
    assert.deepEqual(server.bodies, posts);
    for (const { authorization, "content-type": type } of server.requests) {
      assert.deepEqual([authorization, type], ["Bearer secret-of-a-program", "application/json"]);
    }
    const journal = await readFile(join(folder, "prices.journal"), "utf8");
    assert.equal(journal, `P ${DAY} EUR 1.1476 USD\n`);
  });
}

export const preparations: Readonly<Record<string, Preparation>> = {
  "README.md": {
    isInClone,
    // The reader's service and commands have one store.
    async before({ env, installation }) {
      env.DATA_DIR = installation.dataDirectory;
    },
  },
  "CONTRIBUTING.md": { isInClone, values: { "PROPERTY_RUNS=100000": "PROPERTY_RUNS=100" } },
  "examples/README.md": {
    isInClone,
    async before({ folder, machine, installation: { url, apiKey }, resources, env }) {
      const prices = join(machine, "opt/prices");
      await mkdir(join(prices, "node_modules"), { recursive: true });
      for (const name of ["price-list.ts", "price-list.json"]) {
        await copyFile(join(folder, "examples", name), join(prices, name));
      }
      await symlink(join(folder, "node_modules/@kurs"), join(prices, "node_modules/@kurs"));
      const variables = `export KURS_URL=${url} KURS_API_KEY=${apiKey}\n`;
      await writeFile(join(prices, "prices.env"), variables);
      const answer = { answer: "That is 1435.07 dollars." };
      const model = resources.use(await startModel(converting, answer));
      env.OPENAI_BASE_URL = model.url;
      env.OPENAI_API_KEY = "secret-of-the-vendor";
      env.OPENAI_MODEL = "played";
    },
  },
  "docs/alarms/kurs-backup-old.md": {
    async before({ dataDirectory }) {
      await mkdir(join(dataDirectory, "backups"));
      await command(["backup", join(dataDirectory, "backups/")], { dataDirectory });
    },
  },
  "docs/alarms/kurs-commit-slow.md": { before: withPostgres, prints: [/kurs\.db$/m] },
  "docs/alarms/kurs-disk-full.md": { prints: [/kurs\.db$/m] },
  "docs/alarms/kurs-down.md": { prints: [/^HTTP\/1\.1 200 OK\r?\nHTTP\/1\.1 200 OK/m] },
  "docs/alarms/kurs-event-loop-slow.md": { prints: [/ada@example\.org/] },
  "docs/alarms/kurs-internal-errors.md": { before: withLog },
  "docs/alarms/kurs-log-ins-refused.md": { before: withLog, prints: [/^[1-9]\n[1-9]/m] },
  "docs/alarms/kurs-pairs-missed.md": { prints: [/^EUR\/USD .*missed$/m] },
  "docs/alarms/kurs-rates-stale.md": { before: withPublishers, prints: [/^PAIR +STORED/m] },
  "docs/alarms/kurs-store-away.md": { prints: [/^HTTP\/1\.1 200 OK/] },
  "docs/alarms/kurs-unavailable-answers.md": {
    async before(place) {
      await command(["rates", "suspend", "EUR", "USD"], place);
      await withLog(place);
    },
    prints: [/1 "route":"\/v1\/rates\/:base\/:quote"/, /^EUR\/USD .*suspended$/m],
  },
  "docs/api.md": { check: assertHeaders },
  "docs/commands.md": {
    isInClone,
    async before({ folder, installation: { owner } }) {
      const unknown = `svc_live_${"0123456789abcdef".repeat(4)}`;
      const leak = [owner.leaked, owner.revoked, unknown, owner.session].join("\n");
      await writeFile(join(folder, "leak.txt"), leak);
      const author = ["-c", "user.name=Ada", "-c", `user.email=${OWNER}`];
      for (const args of [
        ["init", "-q"],
        ["add", "leak.txt"],
        [...author, "commit", "-qm", "-"],
      ]) {
        await promisify(execFile)("git", args, { cwd: folder });
      }
    },
    // A line of the file is rejected.
    exits: { "cat > rates.csv": 1 },
  },
  "docs/installing.md": { isInClone, values: { "node_modules/.bin/kurs": "kurs" } },
  "docs/mcp.md": { prints: [/"kurs\/units-charged":"1"/] },
  "docs/operating/backups.md": {
    async before({ dataDirectory, machine, installation, values }) {
      const backup = "var/backups/kurs/kurs-2026-11-21T04-00-00.000Z.db";
      await command(["backup", join(machine, backup)], { dataDirectory });
      await symlink(await installation.clone(), join(machine, "opt/kurs"));
      await cp(dataDirectory, join(machine, "var/lib/kurs"), { recursive: true });
      // The crontab is the machine's, with the user's name before the command.
      values["kurs DATA_DIR="] = "DATA_DIR=";
    },
  },
  "docs/operating/evidence.md": {
    async before({ folder, dataDirectory, installation }) {
      await fetchPolishFigures(dataDirectory);
      const list = "number;date;currency;amount\n17;16.03.2026;EUR;1.234,56\n";
      await writeFile(join(folder, "invoices.csv"), list);
      // Of an unchanged figure the job sends no mail.
      const used = "date,base,quote,rate,source\n2026-03-13,EUR,PLN,4.2512,nbp\n";
      await writeFile(join(folder, "used.csv"), used);
      await copyFile(installation.signingKey, join(folder, "signing-key.pem"));
      const keys = await fetch(`${installation.url}/.well-known/jwks.json`);
      await writeFile(join(folder, "jwks.json"), await keys.text());
    },
    prints: [/^holds: left to compare is the document/m],
  },
  "docs/operating/leaked-keys.md": {
    isInClone,
    async before({ folder, installation: { owner }, values }) {
      await writeFile(join(folder, "leaked.log"), `401 ${owner.leaked}\n`);
      values.svc_live_3f2a9c01 = owner.web.slice(0, 17);
    },
    prints: [/found: 1 \(1 revoked, /, /found: 1 \(0 revoked, 1 revoked before, /],
  },
  "docs/operating/exports.md": {
    values: {
      "rates export": "rates export --pair EUR/USD",
      "\"$(date -d '7 days ago' +%F)\"": DAY,
      '"$(date +%F)"': DAY,
    },
    before: withBookkeeping,
  },
  "docs/operating/in-production.md": {
    // The owner has an account already.
    values: { [OWNER]: "new-customer@example.org" },
    async before({ values, machine, installation: { url, apiKey } }) {
      for (const name of ["caddy", "prometheus"]) await mkdir(join(machine, "etc", name));
      values["https://$SITE"] = url;
      // The server has another store than the commands.
      values["ApiKey $KEY"] = `ApiKey ${apiKey}`;
      // No mail server is there.
      values["kurs mail test you@example.org"] = "kurs mail list";
      values["kurs health"] = `curl -sS --fail ${url}/healthz`;
    },
    prints: [/"status":"ok"/, /verified/, /new-customer@example\.org .*pro/, /"rate":"1\.1476"/],
  },
  // No mail server is there.
  "docs/operating/mail.md": { isInClone, values: { "@mail.example.org": "@127.0.0.1:9" } },
  "docs/operating/rates.md": {
    values: { "--from 2010-01-01": "--from 2024-01-01 --to 2025-03-31" },
    async before(place) {
      const averages = new URL(BMF, import.meta.url);
      await copyFile(averages, join(place.folder, "uu-kurse-2025-csv.csv"));
      await withPublishers(place);
    },
  },
  "docs/operating/running.md": {
    // Of an earlier version: whoever pastes the blocks again keeps the settings.
    async before({ machine, resources }) {
      const settings = join(machine, "etc/kurs.env");
      await writeFile(settings, "PUBLIC_URL=https://rates.example.org\n");
      resources.defer(async () => {
        assert.match(await readFile(settings, "utf8"), /^PUBLIC_URL=/);
        assert.equal((await stat(settings)).mode & 0o777, 0o600);
      });
    },
  },
  "docs/proof.md": {
    // The server's clock is the machine's.
    values: { "2026-11": new Date().toISOString().slice(0, 7) },
    async before({ env, installation }) {
      env.SESSION = installation.owner.session;
    },
    prints: [/^Signature Verified Successfully$/m],
  },
  "docs/upgrading.md": {
    isInClone,
    values: { "node_modules/.bin/kurs": "kurs" },
    async before(place) {
      await symlink(await place.installation.clone(), join(place.machine, "opt/kurs"));
      const backups = join(place.machine, "var/lib/kurs/backups");
      await mkdir(backups, { recursive: true });
      const name = "kurs-before-schema-20-2026-11-21T04-00-00.000Z.db";
      await copyFile(place.installation.store, join(backups, name));
      await withPostgres(place);
    },
  },
};

/** What stands in every document for values of the reader. */
export function valuesOf({ url, metricsUrl }: Installation): Values {
  return {
    "http://127.0.0.1:8080": url,
    "https://rates.example.org": url,
    "http://METRICS_HOST:METRICS_PORT/metrics": metricsUrl,
    "http://HOST:PORT": url,
    "DATA_DIR/": '"$DATA_DIR"/',
    " DATA_DIR\n": ' "$DATA_DIR"\n',
    " ADDRESS": ` ${OWNER}`,
    " SOURCE ": " ecb ",
    " REPOSITORY": " .",
  };
}

const ADDING = "trials/documents/adding-a-source.test.ts";
const SCRIPT = "trials/documents/evidence-script.test.ts";
const BMF = "../../test/rates/sources/publishers/fixtures/bmf.csv";

/** The blocks that another test runs: their document, their beginning, and that test. */
export const elsewhere: readonly (readonly [string, string, string])[] = [
  ["docs/adding-a-source.md", "npm run -s kurs -- migrate", ADDING],
  ["docs/adding-a-source.md", "npm run -s kurs -- rates fetch bom", ADDING],
  ["docs/api.md", "npx openapi-typescript", "test/platform/http/openapi-client.test.ts"],
  ["docs/operating/evidence.md", "#!/bin/sh\n# sh verify.sh", SCRIPT],
];
