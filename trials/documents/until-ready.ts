import { spawn } from "node:child_process";

// Plays a reader who starts a program that runs until it is stopped: waits for a text in its output
// and then presses Ctrl-C. `node until-ready.ts TEXT PROGRAM ARGUMENTS…`

const [ready = "", program = "", ...args] = process.argv.slice(2);

// In a process group of its own: a terminal sends its signal to the whole group.
const child = spawn(program, args, { stdio: ["ignore", "pipe", "inherit"], detached: true });
let printed = "";
const signalAll = (name: NodeJS.Signals) => {
  if (child.pid !== undefined) process.kill(-child.pid, name);
};
// A program that is not ready by then hangs, on any machine.
const late = setTimeout(() => signalAll("SIGKILL"), 120_000);
child.stdout.setEncoding("utf8").on("data", (text: string) => {
  const wasReady = printed.includes(ready);
  printed += text;
  process.stdout.write(text);
  if (!wasReady && printed.includes(ready)) signalAll("SIGINT");
});
child.once("close", (code) => {
  clearTimeout(late);
  // npm itself ends by the signal.
  const isStopped = printed.includes(ready) && (code === 0 || code === null || code === 130);
  process.exitCode = isStopped ? 0 : 1;
});
