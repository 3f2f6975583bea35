import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { ApiError } from "./api.ts";

const RETRY_INTERVAL_MS = 2000;

/** What a page shows of the service. */
export interface Loading<Data> {
  /** The last that came; it stays while newer is on its way or the service is away. */
  readonly data: Data | undefined;
  readonly error: ApiError | undefined;
  readonly reload: () => Promise<void>;
}

/**
 * Loads what a page shows, anew when one of `inputs` changes. While the service is away it tries
 * again by itself until it is back.
 */
export function useLoading<Data>(
  load: () => Promise<Data>,
  inputs: readonly unknown[],
): Loading<Data> {
  const [state, setState] = useState<Omit<Loading<Data>, "reload">>({
    data: undefined,
    error: undefined,
  });
  // The latest call wins: an older answer that comes late is not shown.
  const turn = useRef(0);
  // The caller names what `load` reads: `load` itself is another function at each turn.
  const reload = useCallback(async () => {
    turn.current += 1;
    const mine = turn.current;
    try {
      const data = await load();
      if (mine === turn.current) setState({ data, error: undefined });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (mine === turn.current) setState(({ data }) => ({ data, error }));
    }
  }, inputs);

  useEffect(() => {
    void reload();
    return () => {
      turn.current += 1;
    };
  }, [reload]);

  const isPassing = state.error?.isPassing ?? false;
  useEffect(() => {
    if (!isPassing) return undefined;
    const timer = setInterval(() => void reload(), RETRY_INTERVAL_MS);
    return () => clearInterval(timer);
  }, [isPassing, reload]);

  return { ...state, reload };
}

/** Something that the owner does: one at a time, with what went wrong. */
export interface Action {
  readonly isBusy: boolean;
  readonly error: ApiError | undefined;
  readonly run: () => void;
}

export function useAction(act: () => Promise<void>): Action {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<ApiError | undefined>(undefined);
  const run = async () => {
    if (isBusy) return;
    setBusy(true);
    setError(undefined);
    try {
      await act();
    } catch (problem) {
      if (!(problem instanceof ApiError)) throw problem;
      setError(problem);
    } finally {
      setBusy(false);
    }
  };
  return { isBusy, error, run: () => void run() };
}
