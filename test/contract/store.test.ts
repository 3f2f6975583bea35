import { createPostgresDatabase } from "./postgres-database.ts";
import { createMigratedSqliteDatabase } from "./sqlite-database.ts";
import { storeSuite } from "./suite/store.ts";

storeSuite("SQLite", createMigratedSqliteDatabase);
storeSuite("PostgreSQL", createPostgresDatabase);
