/** Missed publications are counted up to this number: more would say nothing new. */
export const MISSED_MAX = 99;
