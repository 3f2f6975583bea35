import { once } from "node:events";
import type { Server } from "node:net";
import { type BackupSettings, readVerifiedMs } from "./backup-state.ts";
import { createCounts, type Observers } from "./counts.ts";
import { watchEventLoop } from "./event-loop-delay.ts";
import { createRegistry, type RegistryUses } from "./registry.ts";
import { createScrapeServer } from "./scrape-server.ts";
import { createStoreStateCache, type StoreStateUses } from "./store-state.ts";

interface MetricsDeps extends StoreStateUses, Pick<RegistryUses, "about" | "passwords"> {
  readonly backups: BackupSettings;
  /** The clients' server, whose connections are counted. */
  readonly server: Server;
}

export interface Metrics {
  /** The callbacks that report requests, tool calls and batches. */
  readonly observers: Observers;
  /** Creates the server for scrapers. Disposing closes it and its connections. */
  serve(uses: MetricsDeps): { readonly server: Server } & AsyncDisposable;
}

/** Starts counting. */
export function createMetrics(): Metrics {
  const counts = createCounts();
  return {
    observers: counts.observers,
    serve(uses) {
      const eventLoopDelay = watchEventLoop();
      const registry = createRegistry({
        ...uses,
        counts,
        eventLoopDelay,
        readStore: createStoreStateCache(uses),
        readVerifiedMs: () => readVerifiedMs(uses.backups, uses.log),
        openConnections: () => countConnections(uses.server),
      });
      const server = createScrapeServer(registry, uses.log);
      return {
        server,
        async [Symbol.asyncDispose]() {
          eventLoopDelay[Symbol.dispose]();
          if (!server.listening) return;
          server.close();
          server.closeAllConnections();
          await once(server, "close");
        },
      };
    },
  };
}

function countConnections(server: Server): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)));
  return promise;
}
