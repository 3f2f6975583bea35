import fc from "fast-check";

// Who and what a story is about. On the service each story has emails, symbols, addresses and a
// plan of its own, so that stories on one store know nothing of each other.

export const people = ["ada", "bob", "eve"] as const;
export type Person = (typeof people)[number];

export const pairs = ["EUR/USD", "EUR/JPY", "USD/EUR"] as const;
export type PairName = (typeof pairs)[number];

export const addresses = ["home", "the office"] as const;
export type AddressName = (typeof addresses)[number];

export const plans = ["free", "pro"] as const;
export type PlanName = (typeof plans)[number];

/** Who an email of a story belongs to; nobody has no account, ever. */
export type Mailbox = Person | "nobody";

const counted = ["last", "last but one", "last but two"] as const;

/** Counts from the end, so that a story that loses its beginning keeps its meaning. */
export type FromLast = 0 | 1 | 2;
export const wordOf = (fromLast: FromLast) => counted[fromLast];

export const anyPerson = fc.constantFrom(...people);
/** Ada comes up often: what is said of an account needs several steps with the same one. */
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
export const someAddress = fc.constantFrom<AddressName>("home", "home", "the office");
export const somePair = fc.constantFrom(...pairs);
export const somePlan = fc.constantFrom(...plans);
export const someFromLast = fc.constantFrom<FromLast>(0, 0, 0, 0, 1, 2);
export const someKeyNumber = fc.constantFrom(1, 1, 1, 1, 2, 2, 3);
/** One of the two nodes on the store. */
export const someNode = fc.constantFrom<0 | 1>(0, 1);
