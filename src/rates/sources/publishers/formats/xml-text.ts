import { SaxesParser } from "saxes";
import { quoted } from "../../../../platform/shared/text/visible-text.ts";
import { ParseError, type PublisherResponse } from "../publisher.ts";
import { utf8TextOf } from "./source-lines.ts";

/** An element with its own text, which is that before its first child. Names keep their prefix. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly text: string;
  readonly children: readonly XmlElement[];
}

/**
 * Parses an XML response.
 *
 * @param root the name of its root element.
 * @throws {ParseError} the body is not a whole XML document of that root, or has a document type.
 */
export function parseXmlText(
  response: Pick<PublisherResponse, "body"> | undefined,
  root: string,
): XmlElement {
  const document: Draft = { name: "", attributes: {}, text: "", children: [] };
  const open = [document];
  const parser = new SaxesParser();
  // Entities are declared in a document type, which no publisher's file has.
  parser.on("doctype", () => parser.fail("it has a document type declaration"));
  parser.on("opentag", ({ name, attributes }) => {
    if (open.length === 1 && name !== root) parser.fail(`its root is ${quoted(name)}, not ${root}`);
    const element: Draft = { name, attributes, text: "", children: [] };
    open.at(-1)?.children.push(element);
    open.push(element);
  });
  parser.on("text", (part) => {
    const element = open.at(-1);
    if (element?.children.length === 0) element.text += part;
  });
  parser.on("closetag", () => open.pop());
  const text = utf8TextOf(response?.body);
  try {
    parser.write(text).close();
  } catch (error) {
    const fault = error instanceof Error ? error.message : "";
    throw new ParseError(`the document cannot be read: ${fault.slice(0, 200)}`, error);
  }
  const [element] = document.children;
  if (element === undefined) throw new ParseError("the document has no element");
  return element;
}

interface Draft extends XmlElement {
  text: string;
  readonly children: Draft[];
}

/** The elements at the end of a path of names, below an element. */
export function elementsAt(element: XmlElement, ...path: readonly string[]): readonly XmlElement[] {
  return path.reduce<readonly XmlElement[]>(
    (elements, name) =>
      elements.flatMap(({ children }) => children.filter((child) => child.name === name)),
    [element],
  );
}

/** The text of the first element at the end of a path; undefined if there is none. */
export function textAt(element: XmlElement, ...path: readonly string[]): string | undefined {
  return elementsAt(element, ...path)[0]?.text;
}

/** The texts of the children of each element at the end of a path, by their names. */
export function textsAt(
  element: XmlElement,
  ...path: readonly string[]
): readonly Readonly<Record<string, string | undefined>>[] {
  return elementsAt(element, ...path).map(({ children }) =>
    // In reverse: of several children with one name the first counts.
    Object.fromEntries(children.toReversed().map(({ name, text }) => [name, text])),
  );
}
