/** Browsers send 150 characters. 16 KiB of commas took 1.5 ms, and over MCP three times that. */
const LENGTH_MAX = 1024;

/**
 * Whether Accept or Accept-Encoding names a media type or a coding with a weight above 0 (RFC 9110,
 * section 12.4.2). A wildcard counts only as the name itself. A longer header names nothing.
 *
 * @param header the header's value; empty without the header.
 * @param name of the type, range or coding, in lower case.
 */
export function accepts(header: string, name: string): boolean {
  if (header.length > LENGTH_MAX) return false;
  return header
    .toLowerCase()
    .split(",")
    .map((entry) => entry.split(";").map((part) => part.trim()))
    .some(([entry, ...parameters]) => {
      const weight = parameters.findLast((parameter) => parameter.startsWith("q=")) ?? "q=1";
      return entry === name && !/^q=0(?:\.0*)?$/.test(weight);
    });
}
