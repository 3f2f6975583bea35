// Bundles src/ and its dependencies into dist/: `main.js` and the parts that it loads on demand.
// docs/decisions/0015-processes-run-from-a-bundle.md says why.
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { rolldown } from "rolldown";

const root = join(import.meta.dirname, "..");
const directory = join(root, "dist");

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

const build = await rolldown({
  cwd: root,
  input: { main: "src/main.ts" },
  platform: "node",
  // pg loads its native client only when asked to, and Kurs does not ask.
  external: [/^node:/, "pg-native"],
  plugins: [bundledRequire],
  logLevel: "warn",
});
await rm(directory, { recursive: true, force: true });
await build.write({ dir: directory, format: "esm", sourcemap: true, chunkFileNames: "[name].js" });
await build.close();
