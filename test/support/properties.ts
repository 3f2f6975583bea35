import fc from "fast-check";

/**
 * The seed of every property test under `npm test`, so that a failure is due to the change under
 * test. `PROPERTY_SEED=$RANDOM npm test` tries others.
 */
const SEED = Number(process.env.PROPERTY_SEED ?? 20_261_121);

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: SEED });
console.log(`The properties of this file are tested with seed ${SEED}.`);

/** How many examples a property gets; `PROPERTY_RUNS=100000` sets another number for a long run. */
export function runsOf(usual: number): number {
  return Number(process.env.PROPERTY_RUNS ?? usual);
}

export { fc };
