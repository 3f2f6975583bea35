/** Some browsers start to read a file only after the click on its link. */
const KEPT_MS = 60_000;

/** Saves a text as a file in the reader's downloads; no request is sent. */
export function saveFile(name: string, type: string, text: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), KEPT_MS);
}
