import { databaseOf, newPostgresDatabase } from "./postgres-databases.ts";
import { startService, type TestOptions, type TestService } from "./service.ts";

export const engines = ["sqlite", "postgres"] as const;

/** A service with its own database on either engine. */
export interface ServiceOnEngine extends AsyncDisposable {
  readonly service: TestService;
  /** The URL of its database on PostgreSQL. */
  readonly url: string | undefined;
}

export async function startServiceOn(
  engine: (typeof engines)[number],
  options: TestOptions = {},
): Promise<ServiceOnEngine> {
  await using starting = new AsyncDisposableStack();
  const database = engine === "sqlite" ? undefined : starting.use(await newPostgresDatabase());
  const config = { ...options.config, ...(database && { database: databaseOf(database.url) }) };
  const service = starting.use(await startService({ ...options, config }));
  const started = starting.move();
  return { service, url: database?.url, [Symbol.asyncDispose]: () => started.disposeAsync() };
}
