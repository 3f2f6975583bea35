import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { suite, test } from "node:test";
import { promisify } from "node:util";
import { newSeriesCli } from "../../test/rates/series/cli.ts";
import { body, playPublisher } from "../../test/support/fake-publisher.ts";
import { temporaryDirectory } from "../../test/support/process.ts";
import { isInstalled } from "./installed.ts";

const ROOT = join(import.meta.dirname, "../..");
const guide = readFileSync(join(ROOT, "docs/operating/exports.md"), "utf8");
const recipes = [...guide.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, text = ""]) => text);

/** What `date` prints to the recipes: the first date of which they push figures. */
const DAY = "2026-03-13";

/** The requests of each recipe. */
const EXPECTED: Readonly<Record<string, readonly string[]>> = {
  firefly: [
    'POST /rates/api/v1/exchange-rates {"date":"DAY","from":"EUR","to":"CZK","rate":"24.400"}',
    'POST /rates/api/v1/exchange-rates {"date":"DAY","from":"EUR","to":"USD","rate":"1.1476"}',
  ],
  erpnext: ["CZK", "USD"].map((quote) => {
    const rate = quote === "CZK" ? "24.400" : "1.1476";
    return `POST /rates/api/resource/Currency%20Exchange {"date":"DAY","from_currency":"EUR","to_currency":"${quote}","exchange_rate":${rate},"for_buying":1,"for_selling":1}`;
  }),
  odoo: [
    'POST /rates/json/2/res.currency.rate/load {"fields":["id","name","currency_id","company_rate"],"data":[["kurs_eur_czk_ID","DAY","CZK","24.400"]]}',
    'POST /rates/json/2/res.currency.rate/load {"fields":["id","name","currency_id","company_rate"],"data":[["kurs_eur_usd_ID","DAY","USD","1.1476"]]}',
  ],
};

const KURS = `exec "${process.execPath}" "${join(ROOT, "src/app/main.ts")}" "$@"`;

async function writePrograms(folder: string, scripts: Readonly<Record<string, string>>) {
  await mkdir(folder);
  for (const [name, script] of Object.entries(scripts)) {
    await writeFile(join(folder, name), `#!/bin/sh\n${script}\n`);
    await chmod(join(folder, name), 0o755);
  }
}

test("the line of a crontab writes the journal, and keeps it where no figure matches", async () => {
  const [, line = ""] = /^5 17 \* \* 1-5 {2}(kurs .*)$/m.exec(guide) ?? [];
  await using directory = await temporaryDirectory();
  await using cli = await newSeriesCli();
  await cli.ecb(DAY, "24.400");
  const bin = join(directory.path, "bin");
  await writePrograms(bin, { kurs: KURS });
  const env = { PATH: `${bin}:${process.env.PATH}`, DATA_DIR: cli.dataDirectory };
  const run = (command: string) =>
    promisify(execFile)("/bin/sh", ["-c", command], { cwd: directory.path, env });
  const journal = () => readFileSync(join(directory.path, "prices.journal"), "utf8");

  await run(line);
  const written = journal();
  await assert.rejects(run(line.replace("--format hledger", "--format hledger --source cnb")));

  assert.match(written, /^P 2026-03-13 EUR 24\.400 CZK$/m);
  assert.equal(journal(), written);
});

suite("the recipes in docs/operating/exports.md", { concurrency: 2 }, () => {
  for (const [format, expected] of Object.entries(EXPECTED)) {
    test(`push the figures of a day to ${format} with its header`, async (t) => {
      if (!isInstalled(t, "curl", "curl")) return;
      const recipe = recipes.find((text) => text.includes(`--format ${format} `));
      assert.ok(recipe !== undefined, format);
      await using directory = await temporaryDirectory();
      await using server = await playPublisher(body("{}"));
      await using cli = await newSeriesCli();
      await cli.ecb("2026-03-12", "24.300");
      await cli.ecb(DAY, "24.400");
      const bin = join(directory.path, "bin");
      await writePrograms(bin, { kurs: KURS, date: `echo ${DAY}` });
      const header = "Authorization: Bearer secret-of-the-program";
      await writeFile(join(directory.path, `${format}.header`), `${header}\n`);

      const { stderr } = await promisify(execFile)("/bin/sh", ["-c", recipe], {
        cwd: directory.path,
        env: {
          ...{ PATH: `${bin}:${process.env.PATH}`, DATA_DIR: cli.dataDirectory, TZ: "UTC" },
          [`${format.toUpperCase()}_URL`]: server.address,
        },
      });

      assert.equal(stderr, "");
      assert.deepEqual(
        server.bodies.map((text) =>
          text.replace(DAY, "DAY").replace(DAY.replaceAll("-", "_"), "ID"),
        ),
        expected,
      );
      for (const headers of server.requests) {
        assert.equal(headers.authorization, "Bearer secret-of-the-program");
        assert.equal(headers["content-type"], "application/json");
      }
    });
  }
});
