/** Prints the address on which a yardstick listens, in the form of Kurs's log. */
export function announce(url: string): void {
  console.log(JSON.stringify({ time: new Date().toISOString(), msg: "listening", url }));
}
