/** ok: nothing to do. warning: needs attention soon. problem: the service does not do its work. */
type Level = "ok" | "warning" | "problem";

/** One line of the doctor's output. */
export interface Finding {
  readonly level: Level;
  /** One word for the part that was checked. */
  readonly subject: string;
  /** The result and, unless it is ok, what to do. */
  readonly text: string;
}

/** Creates the findings of one subject. */
export function findingsOf(subject: string) {
  return {
    ok: (text: string): Finding => ({ level: "ok", subject, text }),
    warning: (text: string): Finding => ({ level: "warning", subject, text }),
    problem: (text: string): Finding => ({ level: "problem", subject, text }),
  };
}
