/** The parts of the API's description that the list of calls needs. */
export interface DescribedCalls {
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedCall>>>>;
}

interface DescribedCall {
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly string[];
}

export interface CallOfGroup {
  readonly group: string;
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly operationId: string;
  /** The part of the page's address that opens it. */
  readonly fragment: string;
}

/** @returns the description without HEAD, which every GET has, too: the page would be twice as long. */
export function withoutHead<Description extends DescribedCalls>(
  description: Description,
): Description {
  const paths = Object.entries(description.paths).map(([path, { head: _head, ...methods }]) => [
    path,
    methods,
  ]);
  return { ...description, paths: Object.fromEntries(paths) };
}

/** @returns the calls by group, in the order of the page. */
export function groupsOf({ tags, paths }: DescribedCalls): Map<string, CallOfGroup[]> {
  const calls = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([
        method,
        {
          operationId,
          summary,
          tags: [group = ""],
        },
      ]) => {
        const fragment = `#/${encodeURIComponent(group)}/${operationId}`;
        return { group, method, path, summary, operationId, fragment };
      },
    ),
  );
  return new Map(tags.map(({ name }) => [name, calls.filter(({ group }) => group === name)]));
}
