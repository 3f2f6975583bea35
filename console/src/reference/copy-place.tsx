import { render } from "preact";
import { CopyButton } from "../components/copy-button.tsx";

/**
 * Puts the console's copy button into a place of swagger-ui, which is React's.
 *
 * @returns what takes it away.
 */
export function placeCopyButton(place: HTMLElement | null, text: string, what: string): () => void {
  if (place === null) return () => undefined;
  render(<CopyButton text={text} what={what} look="quiet" />, place);
  return () => render(null, place);
}
