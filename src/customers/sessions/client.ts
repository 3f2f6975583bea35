/** By what only their User-Agent contains: Edge's also names Chrome, and Chrome's names Safari. */
const browsers: readonly (readonly [mark: RegExp, name: string])[] = [
  [/\bEdg(?:A|iOS)?\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\b(?:Firefox|FxiOS)\//, "Firefox"],
  [/(?:Chrome|CriOS)\//, "Chrome"],
  [/\bSafari\//, "Safari"],
];

const systems: readonly (readonly [mark: RegExp, name: string])[] = [
  [/\bAndroid\b/, "Android"],
  [/\b(?:iPhone|iPad)\b/, "iOS"],
  [/\bWindows\b/, "Windows"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bMac(?:intosh|OS)\b/, "macOS"],
  [/\bLinux\b/, "Linux"],
];

/** The first product of another program than a browser: `curl` of `curl/8.14.1`. */
const PROGRAM = /^(?!Mozilla\/)[A-Za-z][\w.-]{0,39}(?=$|[/ ])/;

/**
 * What began a session, for its owner to recognize: `Firefox on Linux`, `curl`. The whole
 * User-Agent is not stored.
 *
 * @returns undefined when the request does not say.
 */
export function describeClient(userAgent = ""): string | undefined {
  const nameIn = (marks: typeof browsers) => marks.find(([mark]) => mark.test(userAgent))?.[1];
  const program = nameIn(browsers) ?? PROGRAM.exec(userAgent)?.[0];
  const system = nameIn(systems);
  return program && system ? `${program} on ${system}` : (program ?? system);
}
