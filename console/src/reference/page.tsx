import { useLayoutEffect, useRef } from "preact/hooks";
import { ApiError, bodyOf, errorOf, send } from "../api/request.ts";
import { Button } from "../components/button.tsx";
import { Frame } from "../components/frame.tsx";
import { Notice, RequestId } from "../components/notice.tsx";
import { PageHead } from "../components/page-head.tsx";
import { Skeleton } from "../components/skeleton.tsx";
import { useLoading } from "../loading.ts";
import { root } from "../router.ts";
import { Authorization } from "./authorization.tsx";
import type { OpenCall, ShowCalls } from "./calls.ts";
import { type DescribedCalls, groupsOf, withoutHead } from "./groups.ts";
import { McpTools } from "./mcp-tools.tsx";
import { Overview } from "./overview.tsx";

/** The part of the API's description that this page reads. */
interface Description extends DescribedCalls {
  readonly info: { readonly description: string; readonly version: string };
}

interface Reference {
  readonly description: Description;
  readonly showCalls: ShowCalls;
}

/** The API reference: the description at /openapi.json, to read and to try out. */
export function ReferencePage() {
  const { data, error } = useLoading(loadReference, []);
  return (
    <Frame>
      <PageHead title="API reference">
        Every call, its responses and errors. Try it out makes real calls: a read costs one unit.
        For programs there is <a href={`${root}openapi.json`}>openapi.json</a>.
      </PageHead>
      <div class="stack">
        <Authorization />
        {data === undefined ? <OnItsWay error={error} /> : <Calls {...data} />}
      </div>
    </Frame>
  );
}

function OnItsWay({ error }: { readonly error: ApiError | undefined }) {
  if (error === undefined) return <Skeleton what="the calls" heightRem={40} />;
  return (
    <Notice kind="bad">
      <p>The API's description could not be loaded. {error.message}</p>
      <RequestId error={error} />
      {error.isPassing ? (
        <p>Trying again every two seconds.</p>
      ) : (
        <div>
          <Button look="plain" isSmall onClick={() => location.reload()}>
            Try again
          </Button>
        </div>
      )}
    </Notice>
  );
}

function Calls({ description, showCalls }: Reference) {
  const place = useRef<HTMLDivElement>(null);
  const open = useRef<OpenCall>(() => undefined);
  useLayoutEffect(() => {
    if (place.current !== null) open.current = showCalls(place.current, description);
  }, [description, showCalls]);
  const { info } = description;
  return (
    <>
      <div class="stack-close aside">
        {info.description.split("\n\n").map((paragraph) => (
          <p key={paragraph}>{paragraph}</p>
        ))}
        <p>Version {info.version}</p>
      </div>
      <div class="with-overview">
        <Overview groups={groupsOf(description)} onOpen={(call) => open.current(call)} />
        <div>
          <div class="calls-place" ref={place} />
          <McpTools />
        </div>
      </div>
    </>
  );
}

async function loadReference(): Promise<Reference> {
  const response = await send("openapi.json", {});
  if (response.status !== 200) throw errorOf(response);
  const description = withoutHead(bodyOf<Description>(response));
  const { showCalls } = await loadCalls();
  return { description, showCalls };
}

/**
 * swagger-ui is 1.5 MB, 340 kB on the wire: the heading does not wait for it. A browser does not
 * retry a failed module until the page is reloaded, so this one loads after the description.
 */
async function loadCalls(): Promise<typeof import("./calls.ts")> {
  try {
    return await import("./calls.ts");
  } catch {
    throw new ApiError("internal_error", "A part of this page is missing.");
  }
}
