import { newPostgresDatabase } from "./postgres-databases.ts";
import { startService, type TestOptions, type TestService } from "./service.ts";

export const engines = ["sqlite", "postgres"] as const;

/** A service of its own on either engine; on PostgreSQL, a database of its own. */
export interface ServiceOnEngine extends AsyncDisposable {
  readonly service: TestService;
}

export async function startServiceOn(
  engine: (typeof engines)[number],
  options: TestOptions = {},
): Promise<ServiceOnEngine> {
  await using starting = new AsyncDisposableStack();
  const hosts = engine === "sqlite" ? undefined : starting.use(await newPostgresDatabase()).hosts;
  const config = { ...options.config, databaseHosts: hosts };
  const service = starting.use(await startService({ ...options, config }));
  const started = starting.move();
  return { service, [Symbol.asyncDispose]: () => started.disposeAsync() };
}
