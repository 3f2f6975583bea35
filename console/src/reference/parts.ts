import type { Component, Element, Plugin, System } from "swagger-ui-dist/swagger-ui-es-bundle.js";
import { isAsking } from "./authorization.tsx";
import { placeCopyButton } from "./copy-place.tsx";
import { type Scheme, schemes } from "./credentials.ts";

type CreateElement = System["React"]["createElement"];

/** What of an immutable map is used here. */
interface Immutable {
  get(name: string): unknown;
  getIn(path: readonly string[]): unknown;
}

interface GroupProps {
  readonly tag: string;
  readonly tagObj: Immutable;
  readonly children: Element;
}

interface SummaryProps {
  readonly isShown: boolean;
  readonly toggleShown: () => void;
  readonly operationProps: { toObject(): Call };
}

interface Call {
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly security?: { toJS(): readonly object[] };
  readonly isAuthorized: boolean;
}

interface CodeProps {
  readonly children: string;
  readonly className?: string;
}

interface AnswerProps {
  readonly code: string;
  readonly response: Immutable;
  readonly className?: string;
}

/**
 * Parts of ours in the place of swagger-ui's, where those have no name for a screen reader, nest
 * one control in another, skip a level of headings, or show what this API does not have.
 */
export const parts: Plugin = (system) => ({
  components: {
    Calls: callsOf(system),
    OperationTag: groupOf(system),
    OperationSummary: summaryOf(system),
    PlainTextViewer: codeOf(system),
  },
  wrapComponents: {
    response: (original) => answerOf(system, original),
    responses: (original) => answersOf(system, original),
    JsonSchemaForm: (original) => parameterOf(system, original),
    TextArea: (original) => (props: object) =>
      system.React.createElement(original, { "aria-label": "Request body", ...props }),
  },
});

/** The whole: the groups of calls, and what is wrong with the description, if anything is. */
function callsOf({ React: { createElement: h }, getComponent }: System): Component {
  return () =>
    h(
      "div",
      { className: "calls" },
      h(getComponent("errors", true)),
      h(getComponent("operations", true)),
    );
}

/** Calls that belong together, under their heading. */
function groupOf({ React: { createElement: h } }: System): Component<GroupProps> {
  return ({ tag, tagObj, children }) =>
    h(
      "section",
      { className: "group", "aria-label": tag },
      h("h2", null, tag),
      h("p", { className: "aside" }, tagObj.getIn(["tagDetails", "description"])),
      children,
    );
}

/** A call's line, which opens it, and beside it the credential that it needs. */
function summaryOf({ React: { createElement: h } }: System): Component<SummaryProps> {
  return ({ operationProps, isShown, toggleShown }) => {
    const { method, path, summary, security, isAuthorized } = operationProps.toObject();
    const [scheme] = security?.toJS().flatMap(Object.keys) ?? [];
    return h(
      "div",
      { className: "call-line" },
      h(
        "h3",
        null,
        h(
          "button",
          { type: "button", "aria-expanded": isShown, onClick: toggleShown },
          h("span", { className: `method method-${method}` }, method.toUpperCase()),
          h("span", { className: "call-path" }, ...breakable(h, path)),
          h("span", { className: "call-summary" }, summary),
        ),
      ),
      scheme === undefined ? null : need(h, scheme as Scheme, isAuthorized),
    );
  };
}

/** A path that breaks before a slash where it is too long for its line. */
function breakable(h: CreateElement, path: string): Element[] {
  return path.split(/(?=\/)/).flatMap((segment) => [h("wbr"), segment]);
}

function need(h: CreateElement, scheme: Scheme, isAuthorized: boolean): Element {
  const { name } = schemes[scheme];
  return h(
    "button",
    {
      type: "button",
      className: isAuthorized ? "need need-met" : "need",
      "aria-label": isAuthorized ? `${name}: authorized` : `${name} needed: authorize`,
      onClick: () => {
        isAsking.value = true;
      },
    },
    name,
  );
}

/** A text that is not to be edited, with a button that copies it. */
function codeOf({ React: { createElement: h, useEffect, useRef } }: System): Component<CodeProps> {
  return ({ children, className = "" }) => {
    const place = useRef<HTMLElement>(null);
    const what = className.includes("curl") ? "the command" : "the JSON";
    useEffect(() => placeCopyButton(place.current, children, what), [children, what]);
    return h(
      "div",
      { className: "sample" },
      h("pre", null, children),
      h("div", { className: "sample-copy", ref: place }),
    );
  };
}

/** A parameter's input, under the parameter's name; of swagger-ui it has a placeholder alone. */
function parameterOf(
  { React: { createElement: h, useEffect, useRef } }: System,
  original: Component,
) {
  const parameter: Component<{ readonly description: string }> = (props) => {
    const place = useRef<HTMLElement>(null);
    useEffect(() => {
      place.current?.querySelector("input, select")?.setAttribute("aria-label", props.description);
      return () => undefined;
    }, [props.description]);
    return h("div", { ref: place }, h(original, props));
  };
  return parameter;
}

/**
 * The table of a call's answers, as a table: swagger-ui makes each a nameless region, and two of
 * those cannot be told apart. The attribute is React's, which sets it once.
 */
function answersOf(
  { React: { createElement: h, useEffect, useRef } }: System,
  original: Component,
) {
  const answers: Component = (props) => {
    const place = useRef<HTMLElement>(null);
    useEffect(() => {
      place.current?.querySelector("table[role=region]")?.removeAttribute("role");
      return () => undefined;
    }, []);
    return h("div", { ref: place }, h(original, props));
  };
  return answers;
}

/** The members of the envelope that every error is. */
const ENVELOPE_SIZE = 3;

/**
 * An answer that a call may give. An error is told in a line: its body is the envelope that the page
 * tells once, but for those that carry more.
 */
function answerOf({ React: { createElement: h }, getComponent }: System, original: Component) {
  const answer: Component<AnswerProps> = (props) => {
    const { code, response, className = "" } = props;
    const envelope = ["content", "application/json", "schema", "properties"];
    const members = response.getIn(envelope) as { readonly size: number } | undefined;
    const isEnvelope = Number(code) >= 400 && members?.size === ENVELOPE_SIZE;
    if (!isEnvelope) return h(original, props);
    const text = h(getComponent("Markdown", true), { source: response.get("description") });
    return h(
      "tr",
      { className: `response response-plain ${className}` },
      h("td", { className: "response-col_status" }, code),
      h("td", { className: "response-col_description" }, text),
    );
  };
  return answer;
}
