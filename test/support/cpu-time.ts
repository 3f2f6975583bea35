/**
 * @returns the processor time in milliseconds that this process has used for some work. A busy
 *   machine makes the work end later, but takes no more of this.
 */
export async function cpuMsOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
