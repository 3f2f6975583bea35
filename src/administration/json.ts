import { Timestamp, Type } from "../shared/json-schema.ts";
import { exportSections } from "./administration.ts";

const row = { additionalProperties: true, description: "By the names of the stored columns" };

const StoredRow = row as unknown as ReturnType<typeof Type.Object>;

const rowsOf = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, Type.Array(StoredRow)]));

const AccountExportSchema = Type.Object(
  {
    exported_at: Timestamp,
    account: StoredRow,
    ...rowsOf([...exportSections, "daily_usage", "events"]),
  },
  { $id: "AccountExport" },
);

export const PasswordBody = Type.Object({
  password: Type.String({ format: "password", description: "The account's, as at a log-in" }),
});

/** Every schema here that responses refer to by name. */
export const administrationSchemas = [AccountExportSchema];
