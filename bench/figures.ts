/** @returns 0 when there are no values. */
export function medianOf(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[values.length >> 1] ?? 0;
}

const greatest = (values: readonly number[]) => Math.max(...values);

const column = (heading: string, places: number, ofRounds = medianOf) => ({
  heading,
  places,
  ofRounds,
});

/** Every figure that a table may have, in the order of its columns, and how rounds are combined. */
const FIGURES = {
  requestsPerSecond: column("requests/s", 0),
  offeredPerSecond: column("offered/s", 0),
  servedPerSecond: column("served/s", 0),
  rejectedShare: column("rejected", 3),
  unsentShare: column("unsent", 3),
  rejectedP99Ms: column("503: p99 ms", 1),
  ratio: column("ratio", 3),
  p50Ms: column("p50 ms", 2),
  p99Ms: column("p99 ms", 2),
  worstMs: column("worst ms", 0, greatest),
  cpuMicros: column("CPU µs", 1),
  rssMib: column("RSS MiB", 0),
  postgresMicros: column("Postgres µs", 1),
  walBytes: column("WAL bytes", 0),
  buffers: column("buffers", 2),
  rowsWritten: column("rows", 2),
  logInsPerSecond: column("log-ins/s", 1),
  seconds: column("s", 2),
  linesPerSecond: column("lines/s", 0),
  peakMib: column("peak MiB", 0),
  startMs: column("start ms", 0),
  knownMs: column("known ms", 3),
  unknownMs: column("unknown ms", 3),
  slowestMs: column("slowest ms", 2),
  lettersMs: column("letters ms", 2),
  databaseMib: column("MiB", 1),
  documentsMib: column("documents", 1),
  observationsMib: column("observed", 1),
  observations: column("rows", 0),
  historyMs: column("history ms", 2),
  momentMs: column("moment ms", 3),
  listMs: column("list ms", 0),
};

export type FigureName = keyof typeof FIGURES;

/** Measured figures, without those that the machine does not report. */
export type Figures = Partial<Record<FigureName, number | undefined>>;

const NAMES = Object.keys(FIGURES) as FigureName[];

export interface Row {
  readonly name: string;
  readonly figures: Figures;
  /** The figures of each round, of which `figures` has the medians. */
  readonly rounds: readonly Figures[];
}

export interface Table {
  readonly title: string;
  readonly rows: readonly Row[];
  readonly notes?: readonly string[];
}

/** A row of the medians of the rounds, but the maximum of the worst response times. */
export function rowOf(name: string, rounds: readonly Figures[]): Row {
  const figures = NAMES.flatMap((figure) => {
    const values = rounds.map((round) => round[figure]).filter((value) => value !== undefined);
    return values.length === 0 ? [] : [[figure, FIGURES[figure].ofRounds(values)]];
  });
  return { name, rounds, figures: Object.fromEntries(figures) };
}

/** The ratio of one row's figure to another's; undefined when either is missing. */
export function ratioOf(
  rows: readonly Row[],
  figure: FigureName,
  name: string,
  other: string,
): number | undefined {
  const figureOf = (wanted: string) => rows.find((row) => row.name === wanted)?.figures[figure];
  const [dividend, divisor] = [figureOf(name), figureOf(other)];
  return dividend === undefined || divisor === undefined ? undefined : dividend / divisor;
}

/** A table for the terminal, with the columns for which any row has a figure. */
export function textOf({ title, rows, notes = [] }: Table): string {
  const columns = NAMES.filter((name) => rows.some(({ figures }) => figures[name] !== undefined));
  const nameWidth = Math.max(...rows.map(({ name }) => name.length)) + 2;
  const widthOf = (name: FigureName) => Math.max(FIGURES[name].heading.length + 2, 9);
  const cell = (figures: Figures, name: FigureName) =>
    (figures[name]?.toFixed(FIGURES[name].places) ?? "").padStart(widthOf(name));
  const head = columns.map((name) => FIGURES[name].heading.padStart(widthOf(name))).join("");
  const lines = rows.map(
    ({ name, figures }) =>
      name.padEnd(nameWidth) + columns.map((column) => cell(figures, column)).join(""),
  );
  return ["", title, " ".repeat(nameWidth) + head, ...lines, ...notes].join("\n");
}
