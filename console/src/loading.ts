import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { ApiError } from "./api/request.ts";

const RETRY_INTERVAL_MS = 2000;

/** The state of a page's data. */
export interface Loading<Data> {
  /** The last data received, kept while newer data loads or the service is unavailable. */
  readonly data: Data | undefined;
  readonly error: ApiError | undefined;
  readonly reload: () => Promise<void>;
}

/**
 * Loads a page's data, again when one of `inputs` changes. While the service is unavailable, it
 * retries until the service is back.
 */
export function useLoading<Data>(
  load: () => Promise<Data>,
  inputs: readonly unknown[],
): Loading<Data> {
  const [state, setState] = useState<Omit<Loading<Data>, "reload">>({
    data: undefined,
    error: undefined,
  });
  // The latest call wins: an older response that arrives late is not shown.
  const latestCall = useRef(0);
  // `inputs` lists what `load` reads, because `load` is a new function at each render.
  const reload = useCallback(async () => {
    latestCall.current += 1;
    const call = latestCall.current;
    try {
      const data = await load();
      if (call === latestCall.current) setState({ data, error: undefined });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (call === latestCall.current) setState(({ data }) => ({ data, error }));
    }
  }, inputs);

  useEffect(() => {
    void reload();
    return () => {
      latestCall.current += 1;
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

/** An action of the owner: it runs once at a time and keeps its error. */
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
