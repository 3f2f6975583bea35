import { mkdir, open, rename } from "node:fs/promises";
import { join, resolve } from "node:path";
import { createTransport } from "nodemailer";
import { MailError, type Mailer } from "../../application/mail-ports.ts";
import { type MessageSettings, messageOf } from "./message.ts";

/** Links in mails are secrets: the files are their owner's alone. */
const DIRECTORY_MODE = 0o700;
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
        await mkdir(directory, { recursive: true, mode: DIRECTORY_MODE });
        await writeWhole(file, message as Buffer);
        await syncDirectory(directory);
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
async function writeWhole(file: string, bytes: Uint8Array): Promise<void> {
  const partial = `${file}.part`;
  {
    await using handle = await open(partial, "w", FILE_MODE);
    await handle.writeFile(bytes);
    await handle.sync();
  }
  await rename(partial, file);
}

async function syncDirectory(directory: string): Promise<void> {
  await using handle = await open(join(directory, "."), "r");
  await handle.sync();
}
