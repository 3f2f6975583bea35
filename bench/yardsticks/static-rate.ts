/** A static response of a rate's size. */
export const staticRate = JSON.stringify({
  base: "X00042",
  quote: "USD",
  rate: "1.00042",
  as_of: "2026-03-13T15:00:00.000000000Z",
  type: "direct",
});
