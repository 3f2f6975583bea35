/**
 * Gathers the items of batches, in their order, until there are at least `size` of them or the
 * first has waited for `waitMs`, whether or not the next batch arrives.
 *
 * A consumer that ends early has to close the input: a batch that is awaited may never arrive.
 */
export async function* inChunks<Item>(
  batches: AsyncIterable<readonly Item[]>,
  { size, waitMs }: { readonly size: number; readonly waitMs: number },
): AsyncGenerator<readonly Item[], void, undefined> {
  const input = batches[Symbol.asyncIterator]();
  let next: ReturnType<typeof input.next> | undefined;
  let timer: NodeJS.Timeout | undefined;
  try {
    for (let isOpen = true; isOpen; ) {
      const chunk: Item[] = [];
      const late = Promise.withResolvers<"late">();
      while (chunk.length < size) {
        next ??= input.next();
        const result = await Promise.race([next, late.promise]);
        if (result === "late") break;
        next = undefined;
        isOpen = result.done !== true;
        if (result.done === true) break;
        if (chunk.length === 0) timer = setTimeout(late.resolve, waitMs, "late");
        for (const item of result.value) chunk.push(item);
      }
      clearTimeout(timer);
      if (chunk.length > 0) yield chunk;
    }
  } finally {
    clearTimeout(timer);
  }
}
