import { access } from "node:fs/promises";
import type { TestContext } from "node:test";

/** Where Debian installs a program. */
export const pathOf = (program: string) => `/usr/bin/${program}`;

/** Skips a test on a machine without a program. @returns whether it is there. */
export async function isInstalled(
  t: TestContext,
  program: string,
  debianPackage: string,
): Promise<boolean> {
  const isThere = await access(pathOf(program)).then(
    () => true,
    () => false,
  );
  if (!isThere) t.skip(`${program} is not installed; on Debian: apt-get install ${debianPackage}`);
  return isThere;
}
