import { createSqliteDatabase } from "./sqlite-database.ts";
import { storeSuite } from "./suite/store.ts";

storeSuite("SQLite", createSqliteDatabase);
