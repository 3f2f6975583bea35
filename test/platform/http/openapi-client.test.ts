import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempDisposable, readFile, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { startSharedService } from "../../support/service.ts";

// A client that a generator makes of the document: compiled strictly, and used. That each failure is
// told apart by its code, the client's own types show: test/client/types.test.ts.

const ROOT = join(import.meta.dirname, "../../..");
const run = promisify(execFile);

const service = await startSharedService();
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
