/**
 * @returns the CPU time in milliseconds that this process used for some work. On a busy machine the
 * work ends later, but this does not grow.
 */
export async function cpuMsOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
