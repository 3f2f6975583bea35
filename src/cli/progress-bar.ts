const BAR_CHARACTERS = 30;

/** @param part the completed part, from 0 to 1. */
export function progressBar(part: number): string {
  const full = Math.round(part * BAR_CHARACTERS);
  const bar = "█".repeat(full) + "░".repeat(BAR_CHARACTERS - full);
  return `${bar} ${Math.floor(part * 100)} %`;
}
