import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { runInNewContext } from "node:vm";
import { ROOT } from "../../test/architecture/tree.ts";
import { temporaryDirectory } from "../../test/support/process.ts";
import { startSharedService } from "../../test/support/service.ts";
import { newSigningKey } from "../../test/support/signatures.ts";
import { type Block, blocksOf, documents } from "./blocks.ts";

const run = promisify(execFile);
const service = await startSharedService({ config: { signingKey: newSigningKey() } });

/** Languages of what no reader runs: data, configurations, pictures, and changes to files. */
const NOT_RUN = ["", "csv", "diff", "http", "json", "mermaid", "yaml"];

/** Which test runs the programs of a document, and how many there are. */
const programs: Readonly<
  Record<string, readonly [language: string, count: number, test: string][]>
> = {
  "client/README.md": [["ts", 6, "trials/runtimes/package.test.ts"]],
  "docs/adding-a-source.md": [["ts", 1, "trials/documents/adding-a-source.test.ts"]],
  "docs/api.md": [
    ["ts", 1, "test/platform/http/openapi-client.test.ts"],
    ["js", 1, "trials/documents/programs.test.ts"],
  ],
  "docs/operating/exports.md": [["js", 1, "trials/documents/programs.test.ts"]],
  "docs/proof.md": [
    ["ts", 1, "test/rates/served/proof-document.test.ts"],
    ["python", 1, "trials/documents/programs.test.ts"],
  ],
  "docs/retries.md": [["js", 3, "trials/documents/programs.test.ts"]],
};

const isProgram = ({ language }: Block) => language !== "sh" && !NOT_RUN.includes(language);

/** The text of a document's only program in a language, or of the one that has a text. */
function programIn(document: string, language: string, having = ""): string {
  const found = blocksOf(document).filter((block) => block.language === language);
  const { text } = found.find((block) => block.text.includes(having)) ?? assert.fail(document);
  return text.replaceAll(/http:\/\/127\.0\.0\.1:8080|https:\/\/rates\.example\.org/g, service.url);
}

test("a test runs each program in a document, and each block has a language", () => {
  for (const document of documents) {
    const counted = Object.groupBy(blocksOf(document).filter(isProgram), (block) => block.language);
    const counts = Object.entries(counted).map(([language, of = []]) => [language, of.length]);
    const wanted = (programs[document] ?? []).map(([language, count]) => [language, count]);
    assert.deepEqual(new Set(counts), new Set(wanted), document);
  }
  for (const [document, , , path] of Object.entries(programs).flatMap(([name, list]) =>
    list.map((each) => [name, ...each] as const),
  )) {
    const [name = ""] = document.split("/").slice(-1);
    assert.ok(existsSync(join(ROOT, document)), document);
    assert.ok(readFileSync(join(ROOT, path), "utf8").includes(name), `${path}: ${document}`);
  }
});

test("the program that watches the quota prints what docs/api.md says", async () => {
  await using directory = await temporaryDirectory();
  const { apiKey } = await service.newCustomer();
  const file = join(directory.path, "quota.mjs");
  await writeFile(file, programIn("docs/api.md", "js"));

  const { stdout } = await run(process.execPath, [file], { env: { KEY: apiKey, NO_COLOR: "1" } });

  const said = readFileSync(join(ROOT, "docs/api.md"), "utf8").replaceAll(/\s+/g, " ");
  const [first = "", ...rest] = stdout.trim().split("\n");
  const usage = rest.join(" ").replaceAll(/\s+/g, " ");
  assert.ok(said.includes(`it prints \`${first}\` and \`${usage}\``), stdout);
});

test("the script for Google Sheets of docs/operating/exports.md writes a rate into its cells", async () => {
  const { apiKey, session } = await service.newCustomer();
  const { text } = await service.readRate("EUR/USD", apiKey);
  const script = programIn("docs/operating/exports.md", "js");
  const requests: unknown[] = [];
  const cells: unknown[] = [];
  // Google's services, which wait for a response where this runtime cannot.
  const range = { setValues: (values: unknown) => cells.push(values) };
  const sheet = { getRange: (name: string) => (name === "A1:B1" ? range : undefined) };
  const google = {
    PropertiesService: { getScriptProperties: () => ({ getProperty: () => apiKey }) },
    UrlFetchApp: {
      fetch(url: string, options: { readonly headers: Readonly<Record<string, string>> }) {
        requests.push([url, { ...options.headers }]);
        return { getContentText: () => text };
      },
    },
    SpreadsheetApp: { getActive: () => ({ getSheetByName: () => sheet }) },
  };

  runInNewContext(`${script}\nreadRate();`, google);

  const authorization = { Authorization: `ApiKey ${apiKey}` };
  assert.deepEqual(requests, [[`${service.url}/v1/rates/EUR/USD`, authorization]]);
  assert.equal(JSON.stringify(cells), '[[["1.1476","2026-03-13T15:00:00.000000000Z"]]]');
  const sent = await fetch(`${service.url}/v1/rates/EUR/USD`, { headers: authorization });
  assert.equal(sent.status, 200);
  assert.equal(await service.usedUnits(session), 2);
});

/** What a client that is not installed here would get: the settings of docs/retries.md. */
function settingsOf(client: "ky" | "got" | "axios"): Readonly<Record<string, unknown>> {
  const script = programIn("docs/retries.md", "js", `from "${client}"`);
  const given: Record<string, unknown> = {};
  const take = (settings: Readonly<Record<string, unknown>>) => Object.assign(given, settings);
  class HTTPError {
    readonly response = { headers: new Headers({ "units-charged": "0" }) };
  }
  const globals = {
    ...{ headers: {}, HTTPError, exponentialDelay: 0, ky: { extend: take }, got: { extend: take } },
    axios: { create: () => undefined },
    axiosRetry: (_client: unknown, settings: Readonly<Record<string, unknown>>) => take(settings),
  };
  runInNewContext(script.replaceAll(/^import .*$/gm, ""), globals);
  return { ...given, HTTPError };
}

test("the settings for other clients in docs/retries.md repeat only a 503 that cost nothing", () => {
  const axios = settingsOf("axios") as {
    readonly retries: number;
    readonly retryCondition: (error: object) => boolean;
  };
  const failed = (status: number, units?: string) => ({
    response: { status, headers: { "units-charged": units } },
  });
  assert.deepEqual(
    [failed(503, "0"), failed(503, "1"), failed(503), failed(429, "0"), {}].map((error) =>
      axios.retryCondition(error),
    ),
    [true, false, false, false, false],
  );

  const got = settingsOf("got").retry as {
    readonly statusCodes: readonly number[];
    readonly calculateDelay: (state: object) => number;
  };
  const delayOf = (error: object) => got.calculateDelay({ error, computedValue: 1000 });
  assert.deepEqual([...got.statusCodes], [503]);
  assert.deepEqual([failed(503, "0"), failed(503, "1"), {}].map(delayOf), [1000, 0, 0]);

  const settings = settingsOf("ky");
  const ky = settings.retry as {
    readonly statusCodes: readonly number[];
    readonly shouldRetry: (state: object) => boolean | undefined;
  };
  const HTTPError = settings.HTTPError as new () => { response: { headers: Headers } };
  const free = new HTTPError();
  const charged = new HTTPError();
  charged.response.headers.set("units-charged", "1");
  assert.deepEqual([...ky.statusCodes], [503]);
  // undefined leaves it to the status codes.
  const decisions = [free, charged, new TypeError("fetch failed")].map((error) =>
    ky.shouldRetry({ error }),
  );
  assert.deepEqual(decisions, [undefined, false, false]);
});

test("the Python of docs/proof.md accepts a signed response, and rejects it after a change", async (t) => {
  const has = await run("python3", ["-c", "import cryptography"]).then(
    () => true,
    () => false,
  );
  if (!has)
    return t.skip("no python3 with cryptography; on Debian: apt-get install python3-cryptography");
  await using directory = await temporaryDirectory();
  const { apiKey } = await service.newCustomer();
  const { headers, text } = await service.readRate("EUR/USD", apiKey);
  const { body } = await service.get("/.well-known/jwks.json");
  const file = join(directory.path, "verify.py");
  const given = JSON.stringify(JSON.stringify({ headers, text, keys: body.keys }));
  await writeFile(
    file,
    `${programIn("docs/proof.md", "python")}
import json
given = json.loads(${given})
def holds(headers, text, keys):
    try:
        verify(headers, text.encode(), keys)
        return True
    except InvalidSignature:
        return False
headers, text, keys = given["headers"], given["text"], given["keys"]
print(holds(headers, text, keys), holds(headers, text.replace(".", ".9"), keys),
      holds({**headers, "rate-source": "boc"}, text, keys), holds(headers, text, []),
      holds({}, text, keys))
`,
  );

  const { stdout } = await run("python3", [file]);

  assert.equal(stdout, "True False False False False\n");
});
