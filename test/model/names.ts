import fc from "fast-check";

// The subjects of a story. On the service each story has its own emails, symbols and
// plan, so that stories on one store are independent.

export const people = ["ada", "bob", "eve"] as const;
export type Person = (typeof people)[number];

export const pairs = ["EUR/USD", "EUR/JPY", "USD/EUR"] as const;
export type PairName = (typeof pairs)[number];

export const plans = ["free", "pro"] as const;
export type PlanName = (typeof plans)[number];

/** Whose email it is in a story; `nobody` never has an account. */
export type Mailbox = Person | "nobody";

const counted = ["last", "last but one", "last but two"] as const;

/** Counts from the end, so that shrinking a story's beginning does not change its later steps. */
export type FromLast = 0 | 1 | 2;
export const wordOf = (fromLast: FromLast) => counted[fromLast];

export const anyPerson = fc.constantFrom(...people);
/** Often ada: properties of an account need several steps with the same one. */
export const somePerson = fc.constantFrom<Person>("ada", "ada", "ada", "ada", "bob", "bob", "eve");
export const someMailbox = fc.constantFrom<Mailbox>(
  "ada",
  "ada",
  "ada",
  "bob",
  "bob",
  "eve",
  "nobody",
);
export const somePair = fc.constantFrom(...pairs);
export const somePlan = fc.constantFrom(...plans);
export const someFromLast = fc.constantFrom<FromLast>(0, 0, 0, 0, 1, 2);
export const someKeyNumber = fc.constantFrom(1, 1, 1, 1, 2, 2, 3, 4);
/** One of the two nodes on the store. */
export const someNode = fc.constantFrom<0 | 1>(0, 1);
