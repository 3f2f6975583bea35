import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { copyFile, cp, mkdir, readdir, symlink, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { ROOT, trackedFiles } from "../../test/architecture/tree.ts";
import { kursUnchecked } from "../../test/support/command-line.ts";
import { serve, temporaryDirectory } from "../../test/support/process.ts";
import { newKeyPem } from "../../test/support/signatures.ts";

export const OWNER = "ada@example.org";

/** Folders of a machine that documents name. */
const MACHINE = [
  "etc/systemd/system",
  "opt",
  "tmp",
  "usr/local/bin",
  "var/backups/kurs",
  "var/lib",
];

/** A server with accounts, a store like its own for each document, and a clone of the project. */
export async function startInstallation() {
  await using starting = new AsyncDisposableStack();
  const directory = starting.use(await temporaryDirectory());
  const at = (path: string) => join(directory.path, path);
  await mkdir(at("server"));
  await writeFile(at("signing-key.pem"), newKeyPem(), { mode: 0o600 });
  const env = { SIGNING_KEY_FILE: at("signing-key.pem"), METRICS_PORT: "0" };
  // Its command line is the documented one.
  const main = join(ROOT, "bin/kurs.js");
  const server = starting.use(await serve({ dataDirectory: at("server"), env, main }));
  const metrics = server.logLines().find(({ msg }) => msg === "serving metrics");
  const session = await server.openSession(OWNER);
  const { apiKey: leaked } = await server.createKey(session, "billing");
  const { apiKey: web } = await server.createKey(session, "web");
  const revoked = await server.createKey(session, "old");
  await server.revokeKey(session, revoked.id);
  const { apiKey } = await server.newCustomer("reader@example.org");
  const store = { dataDirectory: at("server"), env: { SIGNING_KEY_FILE: env.SIGNING_KEY_FILE } };
  await command(["rates", "suspend", "EUR", "ISK"], store);
  assert.equal((await server.readRate("EUR/ISK", apiKey)).status, 503);
  await command(["rates", "resume", "EUR", "ISK"], store);
  await command(["backup", at("store.db")], store);
  // A backup is no store: each document gets a copy as of a server that has stopped.
  using database = new DatabaseSync(join(at("server"), "kurs.db"));
  database.prepare("VACUUM INTO ?").run(at("stopped.db"));
  const started = starting.move();
  let clone: Promise<string> | undefined;
  return {
    ...{ url: server.url, pid: server.program.pid, metricsUrl: String(metrics?.url), apiKey },
    owner: { session, leaked, web, revoked: revoked.apiKey },
    dataDirectory: at("server"),
    store: at("store.db"),
    signingKey: at("signing-key.pem"),
    /** What the server has logged so far. */
    log: () => server.program.stdout,
    /** A copy of the project in which a block may build and install. */
    clone: () => (clone ??= cloneProject(at("clone"))),
    /** @returns a new directory for a document, with a store, a machine and an empty folder. */
    async newDirectory(name: string): Promise<string> {
      const own = at(name);
      await mkdir(join(own, "data"), { recursive: true, mode: 0o700 });
      await copyFile(at("stopped.db"), join(own, "data/kurs.db"));
      for (const path of ["folder", ...MACHINE.map((each) => `machine/${each}`)]) {
        await mkdir(join(own, path), { recursive: true });
      }
      return own;
    },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

export type Installation = Awaited<ReturnType<typeof startInstallation>>;

/** Runs a command of `kurs` that succeeds. @returns its stdout. */
export async function command(
  args: readonly string[],
  options: { readonly dataDirectory: string; readonly env?: Readonly<Record<string, string>> },
): Promise<string> {
  const { exitCode, stdout, stderr } = await kursUnchecked(args, options);
  assert.equal(exitCode, 0, `${args.join(" ")}: ${stdout}${stderr}`);
  return stdout;
}

/** Copies the project, with links to the installed packages and the client's own folder. */
async function cloneProject(clone: string): Promise<string> {
  for (const path of trackedFiles()) await cp(join(ROOT, path), join(clone, path));
  const packages = join(clone, "node_modules");
  await mkdir(join(packages, "@kurs"), { recursive: true });
  for (const name of await readdir(join(ROOT, "node_modules"))) {
    const isLinked = name === ".bin" || !/^\.|^@kurs$|^kurs-tests$/.test(name);
    if (isLinked) await symlink(join(ROOT, "node_modules", name), join(packages, name));
  }
  await symlink("../../client", join(packages, "@kurs/client"));
  // The pages are built elsewhere: these are newer than their sources.
  const pages = ["console/dist/index.html", "guide/dist/index.html"].map((path) =>
    join(clone, path),
  );
  for (const page of pages) {
    await mkdir(dirname(page), { recursive: true });
    await writeFile(page, "<!doctype html>");
  }
  // npm writes it last: with it, nothing is installed.
  const installed = join(packages, ".package-lock.json");
  await writeFile(installed, readFileSync(join(ROOT, "node_modules/.package-lock.json")));
  const later = new Date(Date.now() + 5000);
  for (const path of [installed, ...pages]) await utimes(path, later, later);
  return clone;
}
