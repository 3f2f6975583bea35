import type { Component, Element, Plugin, System } from "swagger-ui-dist/swagger-ui-es-bundle.js";
import { isAsking } from "./authorization.tsx";
import { placeCopyButton } from "./copy-place.tsx";
import { type Scheme, schemes } from "./credentials.ts";

type CreateElement = System["React"]["createElement"];

/** The methods of an immutable map that are used here. */
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

interface ResponseProps {
  readonly code: string;
  readonly response: Immutable;
  readonly className?: string;
}

/**
 * Replaces parts of swagger-ui that have no name for a screen reader, nest one control in another,
 * skip a level of headings, or show features that this API does not have.
 */
export const parts: Plugin = (system) => ({
  components: {
    Calls: callsOf(system),
    OperationTag: groupOf(system),
    OperationSummary: summaryOf(system),
    PlainTextViewer: codeOf(system),
  },
  wrapComponents: {
    response: (original) => responseOf(system, original),
    responses: (original) => responsesOf(system, original),
    JsonSchemaForm: (original) => parameterOf(system, original),
    TextArea: (original) => (props: object) =>
      system.React.createElement(original, { "aria-label": "Request body", ...props }),
  },
});

/** The groups of calls, and the errors in the description, if there are any. */
function callsOf({ React: { createElement: h }, getComponent }: System): Component {
  return () =>
    h(
      "div",
      { className: "calls" },
      h(getComponent("errors", true)),
      h(getComponent("operations", true)),
    );
}

/** A group of calls, under its heading. */
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

/** A call's line, which opens it, with the credential that it needs. */
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

/** A path that wraps before a slash if it is too long for its line. */
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

/** A read-only text, with a button that copies it. */
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

/** A parameter's input, labelled with its name: swagger-ui gives it only a placeholder. */
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
 * The table of a call's responses, as a table: swagger-ui makes each a region without a name, and
 * two of those cannot be distinguished. React sets the attribute only once.
 */
function responsesOf(
  { React: { createElement: h, useEffect, useRef } }: System,
  original: Component,
) {
  const responses: Component = (props) => {
    const place = useRef<HTMLElement>(null);
    useEffect(() => {
      place.current?.querySelector("table[role=region]")?.removeAttribute("role");
      return () => undefined;
    }, []);
    return h("div", { ref: place }, h(original, props));
  };
  return responses;
}

/** The number of members in the envelope that every error has. */
const ENVELOPE_SIZE = 3;

/**
 * A possible response of a call. An error takes one line: its body is the envelope, which the page
 * describes once, unless it has more members.
 */
function responseOf({ React: { createElement: h }, getComponent }: System, original: Component) {
  const view: Component<ResponseProps> = (props) => {
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
  return view;
}
