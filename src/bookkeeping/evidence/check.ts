/** A thing that an evidence file states, and whether it holds. */
export interface Check {
  readonly result: "holds" | "fails" | "not checked";
  /** What was checked, as a clause. */
  readonly text: string;
}

export const holds = (text: string): Check => ({ result: "holds", text });

export const fails = (text: string): Check => ({ result: "fails", text });

/** @param text what nobody can tell from the file, and why. */
export const notChecked = (text: string): Check => ({ result: "not checked", text });
