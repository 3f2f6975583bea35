import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { version } from "../../../src/shared/program/version.ts";
import { kurs, serve, temporaryDirectory } from "../../support/process.ts";

// Writes the store of this version for the tests of later ones, before its release:
// node test/storage/releases/write-release.ts. `kurs store copy` brings it to PostgreSQL.

const directory = import.meta.dirname;

await using place = await temporaryDirectory();
const dataDirectory = join(place.path, "data");
{
  await using server = await serve({ dataDirectory });
  await kurs(["plans", "set", "pro", "5000000000"], { dataDirectory });
  const ada = await server.newCustomer("ada@example.org");
  for (let read = 0; read < 5; read += 1) await ada.read("EUR/USD");
  const revoked = await server.createKey(ada.session, "revoked");
  await server.readRate("EUR/USD", revoked.apiKey);
  await server.revokeKey(ada.session, revoked.id);
  const bob = await server.newCustomer("bob@example.org");
  await bob.read("EUR/GBP");
  await kurs(["accounts", "plan", "bob@example.org", "pro"], { dataDirectory });
  const rates = "base,quote,rate,as_of\nXAU,USD,5021.50,2026-03-13T15:00:00Z\n";
  await kurs(["rates", "import", "-"], { dataDirectory, input: rates });
  await kurs(["rates", "suspend", "EUR", "JPY"], { dataDirectory });
  await server.stop();
  const backup = join(place.path, "store.db");
  await kurs(["backup", backup], { dataDirectory });
  writeFileSync(join(directory, `${version}.db.gz`), gzipSync(readFileSync(backup), { level: 9 }));
  const keys = { ada: ada.apiKey, revoked: revoked.apiKey, bob: bob.apiKey };
  writeFileSync(join(directory, `${version}.json`), `${JSON.stringify(keys, null, 2)}\n`);
}
