import { DatabaseSync, StatementSync } from "node:sqlite";

// Preloaded into a program, this kills it before one of its statements: no file changes between two
// statements that a watcher could see, and a migration takes milliseconds.

const fatal = Number(process.env.DIE_AT_STATEMENT);
let statements = 0;

function count(): void {
  statements += 1;
  if (statements === fatal) process.kill(process.pid, "SIGKILL");
}

function countCalls<Name extends string>(
  prototype: Record<Name, (...given: never[]) => unknown>,
  name: Name,
): void {
  const call = prototype[name];
  prototype[name] = function counted(this: unknown, ...given: never[]) {
    count();
    return call.apply(this, given);
  };
}

countCalls(DatabaseSync.prototype as never, "exec");
for (const name of ["run", "get", "all"]) countCalls(StatementSync.prototype as never, name);
