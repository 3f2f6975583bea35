import { Code } from "../components/code-tabs.tsx";
import { Link } from "../components/link.tsx";
import {
  type Call,
  curlOfCall,
  type Member,
  memberOf,
  membersOf,
  type Response,
} from "./description.ts";

/** Of the schemes of credentials. */
const schemeNames: Readonly<Record<string, string>> = { ApiKey: "API key", Session: "Session" };

/** The id of a call's element. */
export const idOf = (operationId: string) => `call-${operationId}`;

/** A call: a line that opens what a program needs to make it. */
export function CallView({ call }: { readonly call: Call }) {
  const { operationId, method, path, summary, scheme, fragment } = call;
  return (
    <details
      class="call"
      id={idOf(operationId)}
      onToggle={({ currentTarget }) => {
        // The page's address is the link to the call that was opened last.
        if (currentTarget.open) history.replaceState(null, "", fragment);
      }}
    >
      <summary>
        <h3>
          <span class={`method method-${method}`}>{method.toUpperCase()}</span> <Path path={path} />{" "}
          <span class="call-summary">{summary}</span>
        </h3>
        {scheme === undefined ? null : <span class="badge">{schemeNames[scheme]}</span>}
      </summary>
      <CallDetails {...call} />
    </details>
  );
}

/** A path that wraps before a slash if it is too long for its line. */
function Path({ path }: { readonly path: string }) {
  return (
    <code class="call-path">
      {path.split(/(?=\/)/).map((segment) => (
        <>
          <wbr />
          {segment}
        </>
      ))}
    </code>
  );
}

function CallDetails(call: Call) {
  const { operationId, description, credential, scheme, parameters = [], requestBody } = call;
  const body = requestBody?.content["application/json"];
  return (
    <div class="call-details stack-close">
      <p>
        <Text text={description} />
      </p>
      {credential === undefined ? null : (
        <p class="aside">
          Authorization: <Text text={credential} />
        </p>
      )}
      <Code name={`curl for ${operationId}`} note="curl" language="shell" code={curlOfCall(call)} />
      {scheme === "ApiKey" ? (
        <div class="row">
          <Link class="button button-plain button-small" to="/try">
            Try it with your key
          </Link>
        </div>
      ) : null}
      <Members
        title="Parameters"
        members={parameters.map((each) => {
          const member = memberOf(each.name, each);
          return { ...member, type: `${member.type}, in the ${each.in}` };
        })}
      />
      <Members title="Body" members={body === undefined ? [] : membersOf(body.schema)} />
      <h4>Responses</h4>
      <div class="responses">
        {Object.entries(call.responses).map(([status, response]) => (
          <ResponseView key={status} {...{ operationId, status, response }} />
        ))}
      </div>
    </div>
  );
}

interface ResponseProps {
  readonly operationId: string;
  readonly status: string;
  readonly response: Response;
}

/** What every error has: the page describes it once. */
const ENVELOPE = ["code", "message", "request_id"];

function ResponseView({ operationId, status, response }: ResponseProps) {
  const { description, headers = {}, content } = response;
  const isError = Number(status) >= 400;
  const body = content?.["application/json"];
  const members = body === undefined ? [] : membersOf(body.schema);
  const examples = body && (body.examples ?? { example: { value: body.example } });
  return (
    <details open={!isError}>
      <summary>
        <span class={isError ? "badge" : "badge badge-good"}>{status}</span>{" "}
        <Text text={description} />
      </summary>
      <div class="stack-close">
        {Object.entries(examples ?? {}).map(([name, { value }]) => (
          <Code
            key={name}
            name={`${name} of ${operationId}, ${status}`}
            note="JSON"
            language="json"
            code={JSON.stringify(value, null, 2)}
          />
        ))}
        <Members
          title="Fields"
          members={isError ? members.filter(({ name }) => !ENVELOPE.includes(name)) : members}
        />
        <Members
          title="Headers"
          members={Object.entries(headers).map(([name, header]) => memberOf(name, header))}
        />
      </div>
    </details>
  );
}

interface MembersProps {
  readonly title?: string;
  readonly members: readonly Member[];
}

function Members({ title, members }: MembersProps) {
  if (members.length === 0) return null;
  return (
    <div>
      {title === undefined ? null : <h4>{title}</h4>}
      <ul class="members">
        {members.map(({ name, type, isOptional, description = "", example, members: nested }) => (
          <li key={name}>
            <code>{name}</code>{" "}
            <span class="member-type">
              {type}
              {isOptional ? ", optional" : ""}
              {example === undefined ? null : (
                <>
                  , such as <code>{String(example)}</code>
                </>
              )}
            </span>
            {description === "" ? null : (
              <p>
                <Text text={description} />
              </p>
            )}
            <Members members={nested} />
          </li>
        ))}
      </ul>
    </div>
  );
}

/** A text whose code is between backticks. */
function Text({ text }: { readonly text: string }) {
  return (
    <>{text.split("`").map((part, index) => (index % 2 === 0 ? part : <code>{part}</code>))}</>
  );
}
