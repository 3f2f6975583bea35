import { closeSync, fsync, openSync, renameSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { promisify } from "node:util";
import { createTransport } from "nodemailer";
import type { SendMailOptions } from "nodemailer/lib/mailer";
import { requireOwner } from "../../../platform/storage/sqlite/owner.ts";
import { makePrivateDirectory } from "../../../platform/storage/sqlite/private-files.ts";
import { MailError, type Mailer } from "../mailer.ts";
import type { OutgoingMail } from "../store.ts";
import { composeMessage, type MessageSettings } from "./message.ts";

/** Links in mails are secrets: only the owner may read the files. */
const FILE_MODE = 0o600;

/**
 * Writes each mail to its own file, with the plain line ends of text files, for development and for
 * operators without a server.
 */
export function createFileMailer(directory: string, settings: MessageSettings): Mailer {
  const transport = createTransport({ streamTransport: true, buffer: true, newline: "unix" });

  return {
    async send(mail) {
      // A mail always has the same file name, so that a repeat after a crash replaces the file.
      const time = mail.createdAt.replace(/[^0-9TZ]/g, "");
      const file = resolve(directory, `${time}-${mail.kind}-${mail.id}.eml`);
      try {
        const { message } = await transport.sendMail(unfolded(mail, settings));
        await writeDurably(directory, file, message as Buffer);
        return file;
      } catch (error) {
        if (error instanceof MailError) throw error;
        const reason = error instanceof Error ? error.message : String(error);
        throw new MailError(reason, { isRejected: false, cause: error });
      }
    },
    [Symbol.dispose]: () => transport.close(),
  };
}

/**
 * A mail without folded lines, so that people can copy a link out of the file. nodemailer folds
 * lines of more than 76 characters unless it gets whole parts; the limit of 998 between servers
 * (RFC 5322, section 2.1.1) does not apply to a file.
 */
function unfolded(mail: OutgoingMail, settings: MessageSettings): SendMailOptions {
  const { text, html, ...message } = composeMessage(mail, settings);
  return { ...message, alternatives: [part("plain", text), part("html", html)] };
}

function part(kind: "plain" | "html", content: SendMailOptions["text"]) {
  const headers = [`Content-Type: text/${kind}; charset=utf-8`, "Content-Transfer-Encoding: 8bit"];
  return { raw: `${headers.join("\n")}\n\n${String(content)}` };
}

/** Writes a file atomically and durably: it is complete or absent, also after a power failure. */
async function writeDurably(directory: string, file: string, bytes: Uint8Array): Promise<void> {
  const partial = `${file}.part`;
  await onDisk(beginFile(directory, partial), bytes);
  await onDisk(renamePartial(directory, partial, file));
}

function beginFile(directory: string, partial: string): number {
  requireOwner(dirname(directory));
  requireOwner(directory);
  makePrivateDirectory(directory);
  return openSync(partial, "w", FILE_MODE);
}

function renamePartial(directory: string, partial: string, file: string): number {
  renameSync(partial, file);
  return openSync(directory, "r");
}

/** Writes the bytes, if any, waits until they are on disk, and closes the descriptor. */
async function onDisk(descriptor: number, bytes?: Uint8Array): Promise<void> {
  try {
    if (bytes !== undefined) writeFileSync(descriptor, bytes);
    await promisify(fsync)(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
