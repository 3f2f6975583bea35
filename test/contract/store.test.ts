import { createPostgresDatabase } from "./postgres-database.ts";
import { createSqliteDatabase } from "./sqlite-database.ts";
import { storeSuite } from "./suite/store.ts";

storeSuite("SQLite", createSqliteDatabase);
storeSuite("PostgreSQL", createPostgresDatabase);
