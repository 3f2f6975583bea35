import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as after } from "node:timers/promises";
import PostalMime, { type Email } from "postal-mime";

/** After this time a condition counts as failed, on any machine. */
const DEADLINE_MS = 120_000;
const POLL_INTERVAL_MS = 20;

/** Polls until a condition holds, with a time limit: shorter where a broken subject never does. */
export async function eventually<Found>(
  what: string,
  find: () => Found | undefined | Promise<Found | undefined>,
  limitMs = DEADLINE_MS,
): Promise<Found> {
  const deadlineMs = performance.now() + limitMs;
  for (;;) {
    const found = await find();
    if (found !== undefined) return found;
    if (performance.now() > deadlineMs) throw new Error(`no ${what} within ${limitMs} ms`);
    await after(POLL_INTERVAL_MS);
  }
}

/**
 * Every mail that a service without an SMTP server has written to its data directory, in order.
 *
 * @param isWanted selects by file name; by default all.
 */
export async function mailsIn(
  dataDirectory: string,
  isWanted: (name: string) => boolean = () => true,
): Promise<Email[]> {
  const directory = join(dataDirectory, "mail");
  const names = await readdir(directory).catch(() => []);
  const files = names.filter((name) => name.endsWith(".eml") && isWanted(name)).sort();
  const texts = await Promise.all(files.map((name) => readFile(join(directory, name), "utf8")));
  return await Promise.all(texts.map((text) => PostalMime.parse(text)));
}

/** Waits for the n-th mail (1: the first) to an email whose link leads to a page. */
export function mailTo(
  dataDirectory: string,
  email: string,
  page: "verify" | "reset",
  number = 1,
): Promise<Email> {
  return eventually(`mail ${number} to ${email} for ${page}`, async () => {
    const mails = (await mailsIn(dataDirectory)).filter(
      ({ to, text }) => to?.[0]?.address === email && text?.includes(`/${page}#token=`),
    );
    return mails[number - 1];
  });
}

/**
 * Waits for the n-th invitation (1: the first) to an email.
 *
 * @returns the link's address, its secret, and the email that it names.
 */
export async function invitationTo(dataDirectory: string, email: string, number = 1) {
  const text = await eventually(`invitation ${number} to ${email}`, async () => {
    const mails = (await mailsIn(dataDirectory)).filter(
      ({ to, subject }) => to?.[0]?.address === email && subject === "You are invited to Kurs",
    );
    return mails[number - 1]?.text;
  });
  const [address = "", ...others] = text.match(/https?:\/\/\S+/g) ?? [];
  const parts = new URLSearchParams(new URL(address).hash.slice(1));
  const token = parts.get("invitation") ?? "";
  if (others.length > 0 || !/^[0-9a-f]{64}$/.test(token)) throw new Error(`not one link: ${text}`);
  return { address, token, email: parts.get("email") ?? "" };
}

/** The token in the link of a mail. @throws when it has none, or more than one link. */
export function tokenOf({ text = "" }: Email): string {
  const links = text.match(/https?:\/\/\S+/g) ?? [];
  const token = links[0]?.match(/#token=([0-9a-f]{64})$/)?.[1];
  if (links.length !== 1 || token === undefined) throw new Error(`not one link: ${text}`);
  return token;
}
