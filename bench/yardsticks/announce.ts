/** Prints the address on which a yardstick listens, as Kurs does in its log. */
export function announce(url: string): void {
  console.log(JSON.stringify({ time: new Date().toISOString(), msg: "listening", url }));
}
