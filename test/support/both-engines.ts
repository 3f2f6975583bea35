import type { Config } from "../../src/app/config.ts";
import { commandTimeouts, type DatabaseSettings } from "../../src/platform/storage/settings.ts";
import { databaseOf, newPostgresDatabase } from "./postgres-databases.ts";
import { startService, type TestOptions, type TestService } from "./service.ts";
import { openStore, type Store } from "./stores.ts";

export const engines = ["sqlite", "postgres"] as const;

/** A service with its own database on either engine. */
export interface ServiceOnEngine extends AsyncDisposable {
  readonly service: TestService;
  /** The URL of its database on PostgreSQL. */
  readonly url: string | undefined;
  /** Its configuration, to start another node. */
  readonly config: Partial<Config>;
  /** Opens the service's store, as a command does. */
  openStore(): Promise<Store>;
}

export async function startServiceOn(
  engine: (typeof engines)[number],
  options: TestOptions = {},
): Promise<ServiceOnEngine> {
  await using starting = new AsyncDisposableStack();
  const database = engine === "sqlite" ? undefined : starting.use(await newPostgresDatabase());
  const settings: DatabaseSettings =
    database === undefined ? { engine: "sqlite" } : databaseOf(database.url);
  const config = { ...options.config, database: settings };
  const service = starting.use(await startService({ ...options, config }));
  const started = starting.move();
  const { dataDirectory } = service;
  const place = { dataDirectory, database: settings, backupDirectory: dataDirectory };
  const open = () => openStore(place, { ...commandTimeouts, makesStore: false }, () => undefined);
  return {
    service,
    url: database?.url,
    config,
    openStore: open,
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}
