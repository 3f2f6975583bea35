import { spawn } from "node:child_process";

// Plays a reader who starts a program that runs until it is stopped: waits for a text in its output
// and then presses Ctrl-C. `node until-ready.ts TEXT PROGRAM ARGUMENTS…`

const [ready = "", program = "", ...args] = process.argv.slice(2);

// In a process group of its own: a terminal sends its signal to the whole group.
const child = spawn(program, args, { stdio: ["ignore", "pipe", "inherit"], detached: true });
let printed = "";
child.stdout.setEncoding("utf8").on("data", (text: string) => {
  const wasReady = printed.includes(ready);
  printed += text;
  process.stdout.write(text);
  if (!wasReady && printed.includes(ready) && child.pid !== undefined) {
    process.kill(-child.pid, "SIGINT");
  }
});
child.once("close", (code) => {
  // npm itself ends by the signal.
  const isStopped = printed.includes(ready) && (code === 0 || code === null || code === 130);
  process.exitCode = isStopped ? 0 : 1;
});
