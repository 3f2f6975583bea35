import fc from "fast-check";

/**
 * Of every property that is tested under `npm test`, so that a change that breaks one is the change
 * that broke it. `PROPERTY_SEED=$RANDOM npm test` tries others.
 */
const SEED = Number(process.env.PROPERTY_SEED ?? 20_261_121);

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: SEED });
console.log(`The properties of this file are tested with seed ${SEED}.`);

export { fc };
