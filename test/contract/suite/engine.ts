import assert from "node:assert/strict";
import { StoreUnavailable } from "../../../src/shared/store.ts";
import { type Engine, type Row, statement, type Transaction } from "../../../src/storage/engine.ts";
import { type StoreTest, valuesOf } from "./database.ts";

const ADD_PLAN = "INSERT INTO plans (name, units_per_period) VALUES ($1, $2)";

async function planNames(engine: Engine): Promise<unknown[]> {
  const rows = await engine.query("SELECT name FROM plans ORDER BY name");
  return rows.map(({ name }) => name);
}

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

  test("a transaction that throws is rolled back, and the engine stays usable", async (_, engine, __, {
    openEngine,
  }) => {
    const other = openEngine();
    const thrown = new Error("changed its mind");

    const failing = engine.transaction(function* () {
      yield statement(ADD_PLAN, "one", 1);
      yield statement("UPDATE plans SET units_per_period = 5 WHERE name = $1", "free");
      throw thrown;
    });

    await assert.rejects(failing, thrown);
    assert.deepEqual(await planNames(other), ["free"]);
    const [free] = await other.query("SELECT units_per_period FROM plans");
    assert.equal(free?.units_per_period, 1000);
    await engine.transaction(function* () {
      yield statement(ADD_PLAN, "two", 2);
    });
    assert.deepEqual(await planNames(other), ["free", "two"]);
  });

  test("a transaction that throws before its first statement leaves no transaction open", async (_, engine, __, {
    openEngine,
  }) => {
    await assert.rejects(
      // biome-ignore lint/correctness/useYield: the test needs a throw before any statement.
      engine.transaction(function* () {
        throw new Error("at once");
      }),
      /at once/,
    );
    await engine.query(ADD_PLAN, "one", 1);
    assert.deepEqual(await planNames(openEngine()), ["free", "one"]);
  });

  test("a statement that violates a constraint rolls back the statements before it", async (_, engine, __, {
    openEngine,
  }) => {
    const other = openEngine();
    let after = false;

    const failing = engine.transaction(function* () {
      yield statement(ADD_PLAN, "one", 1);
      yield statement(ADD_PLAN, "free", 2);
      after = true;
      yield statement(ADD_PLAN, "two", 2);
    });

    await assert.rejects(failing, (error) => !(error instanceof StoreUnavailable));
    assert.equal(after, false);
    assert.deepEqual(await planNames(other), ["free"]);
  });

  test("an invalid statement throws StoreUnavailable and rolls back the transaction", async (_, engine, __, {
    openEngine,
  }) => {
    const other = openEngine();

    const failing = engine.transaction(function* () {
      yield statement(ADD_PLAN, "one", 1);
      yield statement("SELECT nothing FROM no_such_table");
    });

    await assert.rejects(failing, StoreUnavailable);
    await assert.rejects(engine.query("SELECT nothing FROM no_such_table"), StoreUnavailable);
    assert.deepEqual(await planNames(other), ["free"]);
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
