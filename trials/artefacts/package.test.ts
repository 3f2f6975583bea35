import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { after, suite, test } from "node:test";
import { kurs, serve, temporaryDirectory } from "../../test/support/process.ts";

// The package as npm packs it, in a folder as npm installs it, with the dependencies of this clone.
// `npm run artefacts` installs it with npm.

const ROOT = join(import.meta.dirname, "../..");

const directory = await temporaryDirectory();
after(() => directory[Symbol.asyncDispose]());
const tarball = execFileSync("npm", ["pack", "--silent", "--pack-destination", directory.path], {
  cwd: ROOT,
  encoding: "utf8",
  // npm warns of settings that it does not know.
  stdio: ["ignore", "pipe", "ignore"],
})
  .trim()
  .split("\n")
  .at(-1);
const modules = join(directory.path, "node_modules");
const installed = join(modules, "kurs");
mkdirSync(installed, { recursive: true });
execFileSync("tar", ["-xzf", `${tarball}`, "--strip-components=1", "-C", installed], {
  cwd: directory.path,
  env: { PATH: process.env.PATH },
});
for (const name of readdirSync(join(ROOT, "node_modules"))) {
  if (name.startsWith(".") || name === "kurs") continue;
  symlinkSync(join(ROOT, "node_modules", name), join(modules, name));
}
const main = join(installed, "bin/kurs.js");
const files = readdirSync(installed, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name).slice(installed.length + 1));
const manifest = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));

suite("the npm package", { concurrency: 2 }, () => {
  test("ships what the program reads, and neither sources nor tests nor keys", () => {
    for (const file of [
      "bin/kurs.js",
      "dist/package/main.js",
      "dist/package/main.js.map",
      "console/dist/index.html",
      "console/dist/docs.html",
      "guide/dist/index.html",
      "guide/dist/llms.txt",
      "migrations/sqlite/0020-initial.sql",
      "migrations/postgres/0020-initial.sql",
      "snapshot/rates.json",
      "docs/operating/running.md",
      "deploy/kurs-package.conf",
      "README.md",
      "LICENSE",
      "CHANGELOG.md",
    ]) {
      assert.ok(files.includes(file), `${file} is missing`);
    }
    const unwanted = files.filter((file) => /\.tsx?$|\.pem$|\.key$|(?:^|\/)tests?\//.test(file));
    assert.deepEqual(unwanted, []);
    assert.ok(files.length < 1200, `${files.length} files`);
  });

  test("runs nothing when it is installed, and may be published", () => {
    const hooks = ["preinstall", "install", "postinstall", "prepare"];
    assert.deepEqual(
      hooks.filter((hook) => Object.hasOwn(manifest.scripts, hook)),
      [],
    );
    assert.equal(manifest.private, undefined);
  });

  test("serves the first rate, its pages and its commands from node_modules", async () => {
    await using place = await temporaryDirectory();
    const dataDirectory = join(place.path, "data");
    await using server = await serve({ main, dataDirectory });
    const customer = await server.newCustomer();
    assert.equal((await customer.read("EUR/USD")).status, 200);
    assert.equal(await customer.usedUnits(), 1);
    for (const path of ["/", "/docs"]) {
      const { status, headers } = await server.get(path);
      assert.deepEqual([status, headers["content-type"]], [200, "text/html; charset=utf-8"], path);
    }
    const printed = await kurs(["docs", "alarms/kurs-down"], { main });
    assert.match(printed.stdout, /^# KursDown$/m);
    const listed = await kurs(["accounts", "list"], { main, dataDirectory });
    assert.equal(listed.exitCode, 0, listed.stderr);
    assert.match(listed.stdout, new RegExp(`^${customer.email} `, "m"));
    await server.stop();
    assert.match(server.program.stderr, / commands +node_modules\/\.bin\/kurs --help$/m);
  });

  test("answers MCP calls and sends mails, whose parts are loaded on demand", async () => {
    await using place = await temporaryDirectory();
    const dataDirectory = join(place.path, "data");
    await using server = await serve({ main, dataDirectory });
    const { apiKey } = await server.newCustomer();
    const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    const { status, text } = await server.post("/v1/mcp", { apiKey, json: list });
    assert.equal(status, 200, text);
    assert.match(text, /convert_currency/);
    const sent = await kurs(["mail", "test", "ada@example.org"], { main, dataDirectory });
    assert.equal(sent.exitCode, 0, sent.stderr);
    const doctor = await kurs(["doctor"], { main, dataDirectory });
    assert.match(doctor.stdout, /^ok +integrity +the database is undamaged/m);
  });

  test("keeps its compiled code in a directory of its own that only its owner can enter", async () => {
    assert.equal((await kurs(["--version"], { main })).exitCode, 0);
    assert.equal(statSync(join(installed, ".compiled")).mode & 0o777, 0o700);
  });
});
