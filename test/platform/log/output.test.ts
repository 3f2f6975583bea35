import assert from "node:assert/strict";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { mock, suite, test } from "node:test";
import { LogOutput } from "../../../src/platform/log/output.ts";
import { Program, temporaryDirectory } from "../../support/process.ts";

/** No process has so many open files. */
const DESCRIPTOR = 2 ** 31 - 1;

/** The most characters that the output keeps for later. */
const WAITING_MAX = 16_000_000;

const FULL = Object.assign(new Error("there is no space"), { code: "ENOSPC" });

type Done = (error: Error | null, written: number) => void;

/** A place for the log that takes what the test lets it take. */
function createSink() {
  const written: string[] = [];
  const pending: { readonly bytes: Buffer; readonly done: Done }[] = [];
  const { write, writeSync } = fs;
  const mocks = [
    mock.method(fs, "write", (descriptor: number, bytes: Buffer, done: Done) => {
      if (descriptor === DESCRIPTOR) pending.push({ bytes, done });
      else write(descriptor, bytes, done);
    }),
    mock.method(fs, "writeSync", (descriptor: number, text: string) => {
      if (descriptor !== DESCRIPTOR) return writeSync(descriptor, text);
      written.push(text);
      return Buffer.byteLength(text);
    }),
  ];
  // Named imports see the mocks only after this.
  syncBuiltinESMExports();
  return {
    /** What it has taken. */
    text: () => written.join(""),
    isBusy: () => pending.length > 0,
    /** Ends the write in flight: it takes up to `most` bytes of it, or fails. */
    endWrite(most: number | Error): void {
      const { bytes, done } = pending.shift() ?? assert.fail("no write is in flight");
      const taken = bytes.subarray(0, most instanceof Error ? 0 : most);
      written.push(taken.toString());
      done(most instanceof Error ? most : null, taken.length);
    },
    [Symbol.dispose]() {
      for (const { mock: one } of mocks) one.restore();
      syncBuiltinESMExports();
    },
  };
}

/** Opens an output. @returns also what it does when the process exits without its end. */
function openOutput(onRecovery: (lostLines: number, output: LogOutput) => void = () => undefined) {
  const before = process.listeners("exit");
  const output: LogOutput = new LogOutput(DESCRIPTOR, (lost) => onRecovery(lost, output));
  const [exit] = process.listeners("exit").filter((listener) => !before.includes(listener));
  return { output, exit: () => exit?.call(process, 0) };
}

suite("the output of the log", () => {
  test("an exit writes nothing behind a line of which only a part was written", async () => {
    using sink = createSink();
    const { output, exit } = openOutput();
    output.write("first\n");
    output.flush();
    sink.endWrite(3);
    sink.endWrite(FULL);
    output.write("second\n");

    exit();

    assert.equal(sink.text(), "fir");
    for (let writes = 0; writes < 2; writes += 1) {
      output.flush();
      sink.endWrite(WAITING_MAX);
    }
    await output.end();
    assert.equal(sink.text(), "first\nsecond\n");
  });

  test("an exit writes the lines that no write has begun", async () => {
    using sink = createSink();
    const { output, exit } = openOutput();
    output.write("first\n");

    exit();

    assert.equal(sink.text(), "first\n");
    output.flush();
    sink.endWrite(WAITING_MAX);
    await output.end();
  });

  test("lost lines are reported once, when there is room for the report", async () => {
    using sink = createSink();
    const { output } = openOutput((lost, own) => own.write(`lost ${lost}\n`));
    const line = `${"x".repeat(999_999)}\n`;
    output.write(line);
    sink.endWrite(FULL);
    for (let count = 0; count < 16; count += 1) output.write(line);
    // The access log writes the lines of a batch together.
    for (const lines of ["lost\n", "lost\nlost\n"]) output.write(lines);

    output.flush();
    while (sink.isBusy()) sink.endWrite(500_000);
    output.flush();
    while (sink.isBusy()) sink.endWrite(WAITING_MAX);
    await output.end();

    assert.equal(sink.text(), `${line.repeat(17)}lost 3\n`);
  });
});

/** Keeps the lines of a process buffered. */
const WITHOUT_INTERVALS = "globalThis.setInterval = () => ({ unref: () => undefined });";

test("a server writes at once where it listens, without waiting for more lines", async () => {
  await using directory = await temporaryDirectory();
  const preload = `data:text/javascript,${encodeURIComponent(WITHOUT_INTERVALS)}`;
  const env = { PORT: "0", NODE_OPTIONS: `--import ${preload}` };
  await using program = new Program(["serve"], { dataDirectory: directory.path, env });

  await program.waitFor("line", () => program.stdout.includes('"listening"') || undefined);
});
