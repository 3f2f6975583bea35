/**
 * Finds a key that an object of a JSON text has twice: of those, JSON.parse takes the last.
 *
 * @param text has been parsed, so it is valid.
 */
export function repeatedKeyIn(text: string): string | undefined {
  const open: Set<string>[] = [];
  let [start, end, isString] = [0, 0, false];
  for (const { 0: token, index } of text.matchAll(/\\.|["{}[\]:]/g)) {
    if (token === '"') {
      if (isString) end = index + 1;
      else start = index;
      isString = !isString;
    } else if (isString) continue;
    else if (token === "{" || token === "[") open.push(new Set());
    else if (token === "}" || token === "]") open.pop();
    else {
      const key = JSON.parse(text.slice(start, end)) as string;
      if (open.at(-1)?.has(key)) return key;
      open.at(-1)?.add(key);
    }
  }
  return undefined;
}
