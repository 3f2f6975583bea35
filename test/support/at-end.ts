import { after } from "node:test";

let ends: (() => Promise<void>)[] | undefined;

/** Several files run in this process: what they share ends after the last of them. */
export function shareAmongFiles(): void {
  const shared: (() => Promise<void>)[] = [];
  ends = shared;
  after(async () => {
    for (const end of shared) await end();
  });
}

/** Registers the end of what this process has once: after its test file, or after the last one. */
export function atEnd(end: () => Promise<void>): void {
  if (ends === undefined) after(end);
  else ends.push(end);
}
