/** Runs one task per name at a time; further tasks wait, in order of arrival. */
export function createOneAtATime() {
  const last = new Map<string, Promise<unknown>>();

  return async <Result>(name: string, work: () => Promise<Result>): Promise<Result> => {
    const before = last.get(name);
    const current = before === undefined ? work() : before.then(work);
    // The next task waits until this one ends, whether it succeeds or fails.
    const end = current.then(ignore, ignore);
    last.set(name, end);
    try {
      return await current;
    } finally {
      if (last.get(name) === end) last.delete(name);
    }
  };
}

function ignore(): void {}
