// Serves Kurs for development: the server restarts when its sources change, and the console, on a
// separate port, shows a change when it is saved.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Where the console's development server finds the API: where the other child listens. */
const { HOST = "127.0.0.1", PORT = "8080" } = process.env;
const env = {
  KURS_API: `http://${HOST.includes(":") ? `[${HOST}]` : HOST}:${PORT}`,
  ...process.env,
};

const children = [
  ["--watch-path=src", "--watch", "src/app/main.ts", "serve"],
  ["node_modules/vite/bin/vite.js", "console"],
].map((args) => spawn(process.execPath, args, { cwd: root, stdio: "inherit", env }));

// If one exits, the other is stopped, too.
for (const child of children) {
  child.once("exit", (code) => {
    for (const other of children) other.kill();
    process.exitCode = code ?? 0;
  });
}
for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM"])) {
  process.once(signal, () => {
    for (const child of children) child.kill(signal);
  });
}
