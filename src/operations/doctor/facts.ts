import type { MailRecord } from "../../customers/mail/store.ts";
import type { PairBehind, SourceState } from "../../rates/sources/store.ts";
import type { StoreFacts } from "./rules/store.ts";

/** The result of examining a store. */
export type Examination =
  | { readonly kind: "missing"; readonly what: string }
  | { readonly kind: "failed"; readonly reason: string }
  | {
      readonly kind: "examined";
      readonly facts: StoreFacts;
      /** Undefined where the schema is not the program's or the database is damaged. */
      readonly sources: readonly SourceState[] | undefined;
      readonly pairsBehind: readonly PairBehind[] | undefined;
      readonly mails: readonly MailRecord[] | undefined;
    };
