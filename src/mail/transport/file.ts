import { closeSync, fsync, openSync, renameSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { promisify } from "node:util";
import { createTransport } from "nodemailer";
import { actAsOwnerOf } from "../../storage/sqlite/acting-user.ts";
import { makePrivateDirectory } from "../../storage/sqlite/private-files.ts";
import { MailError, type Mailer } from "../mailer.ts";
import { type MessageSettings, messageOf } from "./message.ts";

/** Links in mails are secrets: the files are their owner's alone. */
const FILE_MODE = 0o600;

/** Puts each mail into a file of its own, for development and for operators without a server. */
export function createFileMailer(directory: string, settings: MessageSettings): Mailer {
  const transport = createTransport({ streamTransport: true, buffer: true, newline: "windows" });

  return {
    async send(mail) {
      // The same mail has the same name, so that one sent again after a crash is there once.
      const time = mail.createdAt.replace(/[^0-9TZ]/g, "");
      const file = resolve(directory, `${time}-${mail.kind}-${mail.id}.eml`);
      try {
        const { message } = await transport.sendMail(messageOf(mail, settings));
        await writeWhole(directory, file, message as Buffer);
        return file;
      } catch (error) {
        if (error instanceof MailError) throw error;
        const reason = error instanceof Error ? error.message : String(error);
        throw new MailError(reason, { isRefused: false, cause: error });
      }
    },
    [Symbol.dispose]: () => transport.close(),
  };
}

/** The file is there whole or not at all, and stays there if the power fails. */
async function writeWhole(directory: string, file: string, bytes: Uint8Array): Promise<void> {
  const partial = `${file}.part`;
  await onDisk(beginFile(directory, partial), bytes);
  await onDisk(publish(directory, partial, file));
}

// Names are resolved as the owner of the data directory; nothing waits for the disk meanwhile.

function beginFile(directory: string, partial: string): number {
  using _owner = actAsOwnerOf(dirname(directory));
  makePrivateDirectory(directory);
  return openSync(partial, "w", FILE_MODE);
}

function publish(directory: string, partial: string, file: string): number {
  using _owner = actAsOwnerOf(dirname(directory));
  renameSync(partial, file);
  return openSync(directory, "r");
}

/** Writes what there is to write, waits until it is on disk, and closes. */
async function onDisk(descriptor: number, bytes?: Uint8Array): Promise<void> {
  try {
    if (bytes !== undefined) writeFileSync(descriptor, bytes);
    await promisify(fsync)(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
