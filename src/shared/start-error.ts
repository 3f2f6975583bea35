/** Why a start fails: one line for the operator that says what is wrong and what to do. */
export class StartupError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "StartupError";
  }
}
