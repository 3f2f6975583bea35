import { createEmptiedPostgresDatabase, removeKeptPostgresDatabases } from "./postgres-database.ts";
import { createMigratedSqliteDatabase } from "./sqlite-database.ts";
import { storeSuite } from "./suite/store.ts";

storeSuite("SQLite", createMigratedSqliteDatabase);
storeSuite("PostgreSQL", createEmptiedPostgresDatabase, removeKeptPostgresDatabases);
