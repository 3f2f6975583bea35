/** Runs one piece of work per name at a time; further ones wait, in order of arrival. */
export type OneAtATime = <Result>(name: string, work: () => Promise<Result>) => Promise<Result>;

export function createOneAtATime(): OneAtATime {
  const last = new Map<string, Promise<unknown>>();

  return async (name, work) => {
    const before = last.get(name);
    const turn = before === undefined ? work() : before.then(work);
    // The next one waits for the end of this one, whatever came of it.
    const end = turn.then(ignore, ignore);
    last.set(name, end);
    try {
      return await turn;
    } finally {
      if (last.get(name) === end) last.delete(name);
    }
  };
}

function ignore(): void {}
