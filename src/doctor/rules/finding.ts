/** ok: nothing to do. warning: look at it some time. problem: the service does not do its work. */
export type Level = "ok" | "warning" | "problem";

/** One line of the doctor's. */
export interface Finding {
  readonly level: Level;
  /** What it is about, in a word. */
  readonly subject: string;
  /** What is found and, unless it is ok, what to do. */
  readonly text: string;
}

/** Makes the findings of one subject. */
export function findingsOf(subject: string) {
  return {
    ok: (text: string): Finding => ({ level: "ok", subject, text }),
    warning: (text: string): Finding => ({ level: "warning", subject, text }),
    problem: (text: string): Finding => ({ level: "problem", subject, text }),
  };
}
