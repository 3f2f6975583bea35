import type { TestService } from "./service.ts";

/** Makes every charge by day and key fail with an error of the database. */
const FAIL_DAYS = `
  CREATE TRIGGER no_days BEFORE INSERT ON charged_units WHEN new.day > 0
  BEGIN SELECT abs(-9223372036854775807 - 1); END`;

/** Makes counting by day and key fail until it is disposed of. */
export function withoutDays(service: TestService): Disposable {
  service.query(FAIL_DAYS);
  return { [Symbol.dispose]: () => void service.query("DROP TRIGGER no_days") };
}

/** Removes a view until it is disposed of. */
export function withoutView(service: TestService, name: string): Disposable {
  const [view] = service.query("SELECT sql FROM sqlite_schema WHERE name = ?", name);
  service.query(`DROP VIEW ${name}`);
  return { [Symbol.dispose]: () => void service.query(String(view?.sql)) };
}

/** Gives a table another name until it is disposed of. */
export function withoutTable(service: TestService, name: string): Disposable {
  const gone = `${name}_gone`;
  service.query(`ALTER TABLE ${name} RENAME TO ${gone}`);
  return { [Symbol.dispose]: () => void service.query(`ALTER TABLE ${gone} RENAME TO ${name}`) };
}

/** Takes the store's write lock beside the service, and holds it longer than the service waits. */
export function holdWriteLock(service: TestService): Disposable {
  const database = service.database();
  database.exec("BEGIN IMMEDIATE");
  return {
    [Symbol.dispose]: () => {
      database.exec("ROLLBACK");
      database.close();
    },
  };
}
