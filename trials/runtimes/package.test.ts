import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createReadStream } from "node:fs";
import { mkdtempDisposable, readdir, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { twoLooks, Visitor } from "../../test/support/browser.ts";
import { startServer } from "../../test/support/other-server.ts";
import { startSharedService } from "../../test/support/service.ts";
import { newSigningKey } from "../../test/support/signatures.ts";
import { assertTour, installClient, newVisitor, tourIn } from "./installed.ts";

// The package as a stranger installs it: from the tarball, into an empty folder.

const ROOT = join(import.meta.dirname, "../..");
const run = promisify(execFile);

const service = await startSharedService({ config: { signingKey: newSigningKey() } });
const resources = new AsyncDisposableStack();
after(() => resources.disposeAsync());
let directory = "";

before(async () => {
  directory = resources.use(await mkdtempDisposable(join(tmpdir(), "kurs-client-"))).path;
  await installClient(directory);
});

const installed = (path: string) => join(directory, "node_modules/@kurs/client", path);

test("the package has no dependencies, and its modules at most 5.3 kB each when compressed", async () => {
  const packages = await readdir(join(directory, "node_modules"));
  assert.deepEqual(packages.sort(), [".package-lock.json", "@kurs"]);

  for (const name of ["index.js", "tally.js", "verify.js"]) {
    const text = await readFile(installed(`dist/${name}`), "utf8");
    assert.doesNotMatch(text, /^import |\brequire\(|node:/m);
    const bytes = gzipSync(text, { level: 9 }).length;
    assert.ok(bytes > 500 && bytes <= 5300, `${name} has ${bytes} bytes`);
  }
});

test("the package has the build with its types, its page and the licence, and no sources", async () => {
  assert.deepEqual((await readdir(installed("."))).sort(), ["README.md", "dist", "package.json"]);
  const files = await readdir(installed("dist"));
  assert.ok(
    ["LICENSE", "index.d.ts", "tally.d.ts", "verify.d.ts", "openapi.d.ts"].every((name) =>
      files.includes(name),
    ),
  );
});

test("the package's page links to nothing beside it, which a registry does not have", async () => {
  const page = await readFile(installed("README.md"), "utf8");
  assert.doesNotMatch(page, /\]\((?!https:|#)/);
});

test("the programs of its page compile against the package, and the first reads and multiplies", async () => {
  const page = await readFile(installed("README.md"), "utf8");
  const programs = [...page.matchAll(/^```ts\n(.*?)^```/gms)].map(([, program = ""]) => program);
  assert.equal(programs.length, 6);
  const [first = "", stale, past, accounts, tally, verify] = programs;
  const imported = 'import { createClient } from "@kurs/client";\n';
  const created = `${imported}const kurs = createClient({ url: "" });\n`;
  await writeFile(join(directory, "first.ts"), first.replace("http://127.0.0.1:8080", service.url));
  await writeFile(join(directory, "stale.ts"), imported + stale);
  await writeFile(join(directory, "past.ts"), created + past);
  await writeFile(join(directory, "accounts.ts"), created + accounts);
  await writeFile(join(directory, "tally.ts"), String(tally));
  await writeFile(join(directory, "verify.ts"), created + verify);
  const compilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    module: "nodenext",
    target: "es2022",
    lib: ["es2022"],
    types: ["node"],
    typeRoots: [join(ROOT, "node_modules/@types")],
  };
  const project = { compilerOptions, include: ["*.ts"] };
  await writeFile(join(directory, "tsconfig.json"), JSON.stringify(project));
  const compiler = join(ROOT, "node_modules/typescript/bin/tsc");
  await run(process.execPath, [compiler, "--project", directory]).catch(
    ({ stdout }: { readonly stdout: string }) => assert.fail(stdout),
  );

  const { apiKey } = await service.newCustomer();
  const env = { ...process.env, KEY: apiKey };
  const { stdout } = await run(process.execPath, ["first.ts"], { cwd: directory, env });
  assert.equal(stdout, "1435.07 at 1.1476 of 2026-03-13T15:00:00.000000000Z, for 1 unit\n");
});

test("the package works in Node.js", async () => {
  await tourIn(service, directory, [process.execPath]);
});

const imports = {
  "@kurs/client": "/node_modules/@kurs/client/dist/index.js",
  "@kurs/client/verify": "/node_modules/@kurs/client/dist/verify.js",
};

test("the package works in a browser, on a page of another origin", async () => {
  await using server = await startServer(({ url: path = "/" }, response) => {
    const type = path === "/" ? "text/html" : "text/javascript";
    response.writeHead(200, { "content-type": type });
    if (path !== "/") createReadStream(join(directory, path)).pipe(response);
    else response.end(`<script type="importmap">${JSON.stringify({ imports })}</script>`);
  });
  await using visitor = await Visitor.come(server.url, twoLooks[0] ?? assert.fail());
  await visitor.page.goto("/");

  const visit = JSON.stringify(await newVisitor(service));
  const found = await visitor.page.evaluate(
    `import("/tour.js").then(({ tour }) => tour(${visit}))`,
  );

  assertTour(found);
});
