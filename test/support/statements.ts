import { StatementSync } from "node:sqlite";

interface Sqlite {
  readonly sourceSQL: string;
  all(...values: unknown[]): unknown[];
}

/** Shows each list of rows that this process reads, with its statement, until it is disposed of. */
export function watchRows(see: (rows: readonly unknown[], sql: string) => void): Disposable {
  const prototype = StatementSync.prototype as Sqlite;
  const { all } = prototype;
  prototype.all = function (...values) {
    const found = all.apply(this, values);
    see(found, this.sourceSQL);
    return found;
  };
  return {
    [Symbol.dispose]() {
      prototype.all = all;
    },
  };
}

/** @returns the most that some work has the statements count in one event-loop iteration. */
export async function mostInAnIteration(
  count: (rows: readonly unknown[], sql: string) => number,
  work: () => Promise<unknown>,
): Promise<number> {
  let [counted, most, isOver] = [0, 0, false];
  const endIteration = () => {
    counted = 0;
    if (!isOver) setImmediate(endIteration);
  };
  using _watched = watchRows((rows, sql) => {
    counted += count(rows, sql);
    most = Math.max(most, counted);
  });
  setImmediate(endIteration);
  await work().finally(() => {
    isOver = true;
  });
  return most;
}
