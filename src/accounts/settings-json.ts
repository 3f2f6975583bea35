import type { Static } from "typebox";
import { Type } from "../shared/json-schema.ts";
import type { AccountSettings } from "./settings.ts";

const members = {
  quota_mails: Type.Boolean({
    description: "Whether the account gets a mail at 80 % and at 100 % of its quota",
  }),
};

export const SettingsBody = Type.Object(members);

const SettingsSchema = Type.Object(members, { $id: "AccountSettings" });

/** Every schema here that responses refer to by name. */
export const settingsSchemas = [SettingsSchema];

export function settingsJson({ quotaMails }: AccountSettings): Static<typeof SettingsSchema> {
  return { quota_mails: quotaMails };
}
