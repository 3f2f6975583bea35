import { render } from "preact";
import { CopyButton } from "../components/copy-button.tsx";

/**
 * Renders the console's copy button into an element of swagger-ui, which React renders.
 *
 * @returns a function that removes the button.
 */
export function placeCopyButton(place: HTMLElement | null, text: string, what: string): () => void {
  if (place === null) return () => undefined;
  render(<CopyButton text={text} what={what} look="quiet" />, place);
  return () => render(null, place);
}
