import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { trackedFiles } from "../../architecture/tree.ts";
import { assertFailure } from "../../support/assertions.ts";
import { serve, temporaryDirectory } from "../../support/process.ts";

const ROOT = join(import.meta.dirname, "../../..");

/** Copies parts of the project into a directory. @returns the path of a file in the copy. */
function cloneOf(directory: string, parts: readonly string[]): (path: string) => string {
  const clone = join(directory, "clone");
  for (const part of parts) cpSync(join(ROOT, part), join(clone, part), { recursive: true });
  return (path) => join(clone, path);
}

const PROGRAM = ["src", "migrations", "snapshot", "package.json"];

test("a clone whose pages are not built serves the API, and its log says how to build them", async () => {
  await using directory = await temporaryDirectory();
  const at = cloneOf(directory.path, PROGRAM);
  symlinkSync(join(ROOT, "node_modules"), at("node_modules"));
  const dataDirectory = join(directory.path, "data");

  await using server = await serve({ dataDirectory, main: at("src/app/main.ts") });

  const customer = await server.newCustomer();
  assert.equal((await customer.read()).status, 200);
  assertFailure(await server.get("/"), 404, "not_found");
  const messages = server.logLines().map(({ msg }) => String(msg));
  assert.ok(messages.includes("the console or the guide is not built: run `npm run build`"));
});

test("a running server serves the pages of its start, also after a new build of other names", async () => {
  await using directory = await temporaryDirectory();
  const at = cloneOf(directory.path, PROGRAM);
  symlinkSync(join(ROOT, "node_modules"), at("node_modules"));
  const build = (name: string) => {
    for (const site of ["console/dist", "guide/dist"]) {
      rmSync(at(site), { recursive: true, force: true });
      mkdirSync(at(`${site}/assets`), { recursive: true });
      for (const page of ["index", "404", "api"]) {
        writeFileSync(at(`${site}/${page}.html`), `<script src="assets/${name}.js">`);
      }
      writeFileSync(at(`${site}/assets/${name}.js`), name);
    }
  };
  build("old");
  const dataDirectory = join(directory.path, "data");
  await using server = await serve({ dataDirectory, main: at("src/app/main.ts") });

  build("new");

  for (const path of ["/", "/guide/", "/guide/api"]) {
    assert.equal((await server.get(path)).text, '<script src="assets/old.js">', path);
  }
  for (const path of ["/assets/old.js", "/guide/assets/old.js"]) {
    assert.equal((await server.get(path)).text, "old", path);
  }
  assertFailure(await server.get("/guide/assets/new.js"), 404, "not_found");
});

test("a start builds the pages again after a change of their sources, and not without one", async () => {
  await using directory = await temporaryDirectory();
  // Without packages a build only says that it needs them.
  const at = cloneOf(directory.path, trackedFiles());
  const pages = ["console/dist/index.html", "guide/dist/index.html"].map(at);
  for (const page of pages) mkdirSync(join(page, ".."), { recursive: true });
  for (const page of pages) writeFileSync(page, "");
  const built = () => spawnSync(process.execPath, [at("scripts/build-pages.js")]).stderr.toString();
  const touch = (path: string) => utimesSync(path, 0, Date.now() / 1000 + 60);

  // Where a build writes until it is whole, also when it is interrupted.
  const unfinished = at("guide/.cache/dist/index.html");
  mkdirSync(join(unfinished, ".."), { recursive: true });
  writeFileSync(unfinished, "");
  touch(unfinished);
  assert.equal(built(), "");

  touch(at("docs/api.md"));
  assert.match(built(), /^The documentation site is not built: .*\n$/);
  touch(at("console/src/app.tsx"));
  assert.match(built(), /^The console is not built: .*\nThe documentation site /);
});
