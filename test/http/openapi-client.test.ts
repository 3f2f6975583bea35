import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempDisposable, readFile, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { startSharedService } from "../support/service.ts";

// A client that a generator makes of the document: compiled strictly, and used.

const ROOT = join(import.meta.dirname, "../..");
const run = promisify(execFile);

const service = await startSharedService({ config: { freePlanUnits: 2 } });
const { apiKey } = await service.newCustomer();
const page = await readFile(join(ROOT, "docs/api.md"), "utf8");
let directory = "";
const resources = new AsyncDisposableStack();
after(() => resources.disposeAsync());

before(async () => {
  directory = resources.use(await mkdtempDisposable(join(tmpdir(), "kurs-client-"))).path;
  await symlink(join(ROOT, "node_modules"), join(directory, "node_modules"));
  await writeFile(join(directory, "package.json"), '{"type":"module"}');
  await writeFile(join(directory, "tsconfig.json"), JSON.stringify({ compilerOptions }));
  const hook = join(import.meta.dirname, "with-typescript-5.ts");
  const generator = join(ROOT, "node_modules/openapi-typescript/bin/cli.js");
  const [, command = ""] = /^npx openapi-typescript (.*)$/m.exec(page) ?? [];
  const args = command.replace("http://127.0.0.1:8080", service.url).split(" ");
  await run(process.execPath, ["--import", hook, generator, ...args], { cwd: directory });
});

const compilerOptions = {
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  noEmit: true,
  module: "nodenext",
  target: "esnext",
  lib: ["esnext", "dom"],
  types: ["node"],
  allowImportingTsExtensions: true,
};

/** Compiles a program beside the client. @throws with the errors of the compiler. */
async function compile(name: string, program: string): Promise<void> {
  await writeFile(join(directory, name), program);
  const files = JSON.stringify({ extends: "./tsconfig.json", files: [name] });
  await writeFile(join(directory, `${name}.json`), files);
  const compiler = join(ROOT, "node_modules/typescript/bin/tsc");
  await run(process.execPath, [compiler, "--project", `${name}.json`], { cwd: directory }).catch(
    ({ stdout }: { readonly stdout: string }) => assert.fail(stdout),
  );
}

/** Runs a compiled program with a key. @returns what it printed. */
async function execute(name: string, key: string): Promise<string> {
  const env = { ...process.env, KEY: key, KURS: service.url };
  return (await run(process.execPath, [name], { cwd: directory, env })).stdout;
}

test("the program of docs/api.md compiles against the generated types and reads a rate", async () => {
  const [, program = ""] = /^```ts\n(.*?)^```/ms.exec(page) ?? [];
  assert.match(program, /from "\.\/kurs\.d\.ts"/);

  await compile("documented.ts", program.replace("http://127.0.0.1:8080", service.url));

  const unknown = `svc_live_${"0".repeat(64)}`;
  assert.equal(
    await execute("documented.ts", unknown),
    "unauthorized: A valid API key is required.\n",
  );
  const output = await execute("documented.ts", apiKey);
  assert.equal(output, "1.1476 at 2026-03-13T15:00:00.000000000Z\n");
});

const narrowing = `
import createClient from "openapi-fetch";
import type { components, operations, paths } from "./kurs.d.ts";

type Responses = operations["getRate"]["responses"];
type Failure = { [Status in 400 | 401 | 404 | 413 | 429 | 500 | 503]:
  Responses[Status]["content"]["application/json"] }[400 | 401 | 404 | 413 | 429 | 500 | 503];

function explain(failure: Failure): string {
  // @ts-expect-error Only one of the failures has it.
  failure.limit;
  switch (failure.code) {
    case "quota_exceeded":
      return \`\${failure.remaining} of \${failure.limit} until \${failure.reset_at}\`;
    case "unsupported_pair":
      return "no such pair";
    case "invalid_asset_symbol":
      return "no symbol";
    case "invalid_request":
    case "unauthorized":
    case "payload_too_large":
    case "internal_error":
    case "temporarily_unavailable":
      return failure.message;
    default:
      // Does not compile while a code is left.
      return failure satisfies never;
  }
}

export const everyFailure = (failure: Failure): components["schemas"]["ErrorResponse"] => failure;
export const charged = (headers: Responses[200]["headers"]): 0 | 1 => headers["Units-Charged"];
export const terms = (headers: Responses[200]["headers"]): string | undefined => headers.Link;
// @ts-expect-error A header that may be missing.
export const certainTerms = (headers: Responses[200]["headers"]): string => headers.Link;

const headers = { Authorization: \`ApiKey \${process.env.KEY}\` };
const kurs = createClient<paths>({ baseUrl: process.env.KURS ?? "", headers });
for (const [base, quote] of [["E", "USD"], ["USD", "NONE"], ["EUR", "USD"]] as const) {
  const { data, error } = await kurs.GET("/v1/rates/{base}/{quote}", {
    params: { path: { base, quote } },
  });
  console.log(error === undefined ? data.rate : explain(error));
}
const path = { base: "EUR", quote: "USD" };
const head = await kurs.HEAD("/v1/rates/{base}/{quote}", { params: { path } });
console.log(head.response.status, head.response.headers.get("units-charged"));
`;

test("a generated client tells the failures of a read apart by their codes", async () => {
  const customer = await service.newCustomer();

  await compile("narrowing.ts", narrowing);

  assert.deepEqual((await execute("narrowing.ts", customer.apiKey)).trim().split("\n"), [
    "no symbol",
    "no such pair",
    "1.1476",
    "429 0",
  ]);
  await customer.read();
  const output = await execute("narrowing.ts", customer.apiKey);
  assert.match(output, /^0 of 2 until 2026-12-01T00:00:00\.000Z$/m);
  assert.equal(await customer.usedUnits(), 2);
});
