// Bundles src/ into JavaScript, because Node strips no types under node_modules and a single
// executable loads no other file. Reading a few files instead of 300 also makes a start faster.
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { argv } from "node:process";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const root = fileURLToPath(new URL("..", import.meta.url));

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

/**
 * Bundles the program for the npm package, which installs the dependencies beside it.
 *
 * @param {string} directory
 */
export async function buildPackage(directory) {
  await bundle({
    external: (id) => !id.startsWith(".") && !id.startsWith("/"),
    output: { dir: directory, format: "esm", sourcemap: true, chunkFileNames: "[name].js" },
  });
}

/**
 * Bundles the program and its dependencies into one module.
 *
 * @param {string} file
 */
export async function buildModule(file) {
  // pg loads its native client only on demand, and Kurs does not.
  await bundle({
    external: [/^node:/, "pg-native"],
    output: { file, format: "esm", codeSplitting: false },
  });
}

/** @param {{ external: import("rolldown").ExternalOption, output: import("rolldown").OutputOptions }} options */
async function bundle({ external, output }) {
  const build = await rolldown({
    cwd: root,
    input: { main: "src/main.ts" },
    platform: "node",
    external,
    plugins: [bundledRequire],
    logLevel: "warn",
  });
  await build.write(output);
  await build.close();
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  const directory = join(root, "dist");
  await rm(directory, { recursive: true, force: true });
  await buildPackage(directory);
}
