import assert from "node:assert/strict";
import { StoreUnavailable } from "../../../src/platform/shared/store.ts";
import {
  type Engine,
  type Row,
  statement,
  type Transaction,
} from "../../../src/platform/storage/engine.ts";
import { type StoreTest, valuesOf } from "./database.ts";

const ADD_PLAN = "INSERT INTO plans (name, units_per_period) VALUES ($1, $2)";

async function planNames(engine: Engine): Promise<unknown[]> {
  const rows = await engine.query("SELECT name FROM plans ORDER BY name");
  return rows.map(({ name }) => name);
}

/** The statements of transactions that fail, and their errors. */
const failing: readonly (readonly [
  what: string,
  steps: () => Transaction<unknown>,
  error: (error: unknown) => boolean,
])[] = [
  [
    "throws",
    function* () {
      yield statement(ADD_PLAN, "one", 1);
      yield statement("UPDATE plans SET units_per_period = 5 WHERE name = $1", "free");
      throw new TypeError("changed its mind");
    },
    (error) => error instanceof TypeError,
  ],
  [
    "throws before its first statement",
    // biome-ignore lint/correctness/useYield: the test needs a throw before any statement.
    function* () {
      throw new TypeError("at once");
    },
    (error) => error instanceof TypeError,
  ],
  [
    "violates a constraint",
    function* () {
      yield statement(ADD_PLAN, "one", 1);
      yield statement(ADD_PLAN, "free", 2);
      assert.fail("it continues");
    },
    (error) => !(error instanceof StoreUnavailable || error instanceof assert.AssertionError),
  ],
  [
    "has an invalid statement",
    function* () {
      yield statement(ADD_PLAN, "one", 1);
      yield statement("SELECT nothing FROM no_such_table");
    },
    (error) => error instanceof StoreUnavailable,
  ],
];

export function engineSuite(test: StoreTest): void {
  test("a transaction gets each statement's rows and commits all statements", async (_, engine, __, {
    openEngine,
  }) => {
    const other = openEngine();

    const seen = await engine.transaction(function* (): Transaction<Row[]> {
      yield statement(ADD_PLAN, "one", 1);
      yield statement(ADD_PLAN, "two", 2);
      return yield statement("SELECT name FROM plans WHERE units_per_period < $1", 2);
    });

    assert.deepEqual(valuesOf(seen, "name"), ["one"]);
    assert.deepEqual(await planNames(other), ["free", "one", "two"]);
  });

  for (const [what, steps, error] of failing) {
    test(`a transaction that ${what} is rolled back, and the engine stays usable`, async (_, engine, __, {
      openEngine,
    }) => {
      const other = openEngine();

      await assert.rejects(engine.transaction(steps), error);

      assert.deepEqual(await planNames(other), ["free"]);
      const [free] = await other.query("SELECT units_per_period FROM plans");
      assert.equal(free?.units_per_period, 1000);
      await engine.transaction(function* () {
        yield statement(ADD_PLAN, "two", 2);
      });
      assert.deepEqual(await planNames(other), ["free", "two"]);
    });
  }

  test("an invalid statement alone throws StoreUnavailable", async (_, engine) => {
    await assert.rejects(engine.query("SELECT nothing FROM no_such_table"), StoreUnavailable);
  });

  test("concurrent transactions with the same lock do not see each other's intermediate state", async (_, engine) => {
    const addOne = () =>
      engine.transaction(function* () {
        const [row] = yield statement("SELECT max(units_per_period) AS most FROM plans");
        const most = Number(row?.most) + 1;
        yield statement(ADD_PLAN, `plan-${most}`, most);
        return most;
      }, "plans");

    const made = await Promise.all(Array.from({ length: 20 }, addOne));

    assert.deepEqual(
      made.sort((a, b) => a - b),
      Array.from({ length: 20 }, (_, index) => 1001 + index),
    );
  });

  test("an empty batch of reads returns no outcomes", async (_, engine) => {
    assert.deepEqual(await engine.readBatch([]), []);
  });
}
