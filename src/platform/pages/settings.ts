/** What the documents tell the console, in `meta` elements of these names. */
export interface PageSettings {
  /** `open`, or another mode, in which the console advertises no registration. */
  readonly registration: string;
  /** Whether mails go to a server, or are files that only the operator can read. */
  readonly mail: "server" | "files";
}

/** The settings in the documents as they are built. */
const built: PageSettings = { registration: "open", mail: "files" };

const names = Object.keys(built) as (keyof PageSettings)[];

/** Whether the documents as they are built have these settings. */
export function isBuiltWith(settings: PageSettings): boolean {
  return names.every((name) => settings[name] === built[name]);
}

/** Writes the settings into a document as it is built. */
export function withSettings(document: string, settings: PageSettings): string {
  return names.reduce((text, name) => {
    const element = (value: string) => `<meta name="${name}" content="${value}"`;
    return text.replace(element(built[name]), element(settings[name]));
  }, document);
}
