/** What a check finds of a thing that an evidence file states, and all checks of the file. */
export type Verdict = "holds" | "fails" | "not proven";

/** A thing that an evidence file states, and whether it holds. */
export interface Check {
  readonly result: Verdict;
  /** What was checked, as a clause. */
  readonly text: string;
}

export const holds = (text: string): Check => ({ result: "holds", text });

export const fails = (text: string): Check => ({ result: "fails", text });

/** @param text what nobody can tell from the file, and why. */
export const notProven = (text: string): Check => ({ result: "not proven", text });

/** @returns the verdict on a file: it holds only where each of its checks does. */
export function verdictOf(checks: readonly Check[]): Verdict {
  const has = (verdict: Verdict) => checks.some(({ result }) => result === verdict);
  return has("fails") ? "fails" : has("not proven") ? "not proven" : "holds";
}
