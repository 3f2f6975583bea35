import { existsSync } from "node:fs";
import type { TestContext } from "node:test";

/** Skips a test on a machine without a program of Debian. @returns whether it is there. */
export function isInstalled(t: TestContext, program: string, debianPackage: string): boolean {
  const isThere = existsSync(`/usr/bin/${program}`);
  if (!isThere) t.skip(`${program} is not installed; on Debian: apt-get install ${debianPackage}`);
  return isThere;
}
