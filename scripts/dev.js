// Serves Kurs for those who work on it: the server starts anew when its sources change, and the
// console's pages, on an address of their own, show a change as it is saved.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

const children = [
  ["--watch-path=src", "--watch", "src/main.ts", "serve"],
  ["node_modules/vite/bin/vite.js", "console"],
].map((args) => spawn(process.execPath, args, { cwd: root, stdio: "inherit" }));

// One without the other is of no use.
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
