import fc from "fast-check";

/**
 * The seed of every property test under `npm test`, so that a failure is due to the change under
 * test. `PROPERTY_SEED=$RANDOM npm test` tries others.
 */
export const SEED = Number(process.env.PROPERTY_SEED ?? 20_261_121);

/**
 * How many cases of a property are tested: under `npm test` the usual number, and in a long run as
 * many as `PROPERTY_RUNS` says.
 */
export function runsOf(usual: number): number {
  const runs = Number(process.env.PROPERTY_RUNS ?? usual);
  if (!Number.isInteger(runs) || runs < 1) throw new Error("PROPERTY_RUNS: want a whole number");
  return runs;
}

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: SEED });
console.log(`The properties of this file are tested with seed ${SEED}.`);

/** Any character: fast-check's own unit "binary" makes a table of all, 1 s in each process. */
export const anyCharacter = fc
  .integer({ min: 0, max: 0x10ffff })
  .map((codePoint) => String.fromCodePoint(codePoint))
  .filter((character) => character.isWellFormed());

export { fc };
