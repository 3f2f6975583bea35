// Bundles the program: `build-program.js bundle` or `build-program.js package`.
//
// - bundle: src/ and its dependencies, into dist/bundle/, for the processes of trials and, as
//   patient-program.js, of tests; the single executable contains it, too
//   (docs/decisions/0015-processes-run-from-a-bundle.md).
// - package: src/ alone, into dist/package/, for the npm package, which declares its dependencies.
import { rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const root = join(import.meta.dirname, "..");

const OWN_REQUIRE = "const require = createRequire(import.meta.url);";

/**
 * A bundle resolves `require("x")` itself, unless the module makes a `require` of its own, as a
 * module of an unbuilt program must.
 *
 * @type {import("rolldown").Plugin}
 */
const bundledRequire = {
  name: "bundled-require",
  transform: {
    filter: { code: OWN_REQUIRE },
    // No line moves, so the source map stays as it is.
    handler: (code) => ({ code: code.replace(OWN_REQUIRE, ""), map: null }),
  },
};

/** @type {Record<string, Pick<import("rolldown").InputOptions, "external" | "plugins">>} */
const kinds = {
  // pg loads its native client only when asked to, and Kurs does not ask.
  bundle: { external: [/^node:/, "pg-native"], plugins: [bundledRequire] },
  package: { external: /^[^./]/, plugins: [] },
};

/**
 * Bundles the program into a directory, which is replaced.
 *
 * @param {"bundle" | "package"} kind
 * @param {string} directory
 * @param {import("rolldown").OutputOptions} options besides the format
 * @param {Record<string, string>} others further files to run, by their names in the directory
 */
export async function buildProgram(kind, directory, options, others = {}) {
  const build = await rolldown({
    cwd: root,
    input: { main: "src/app/main.ts", ...others },
    platform: "node",
    ...kinds[kind],
    logLevel: "warn",
  });
  await rm(directory, { recursive: true, force: true });
  await build.write({ ...options, dir: directory, format: "esm" });
  await build.close();
}

if (resolve(process.argv[1] ?? "") === fileURLToPath(import.meta.url)) {
  const kind = process.argv[2];
  if (kind !== "bundle" && kind !== "package") throw new Error("want bundle or package");
  const options = { sourcemap: true, chunkFileNames: "[name].js" };
  const others = kind === "bundle" ? { "patient-program": "test/support/patient-program.ts" } : {};
  await buildProgram(kind, join(root, "dist", kind), options, others);
}
