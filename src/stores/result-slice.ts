/** A page of a long text: what a reader asked for, cut to what is there. */

/** By UTF-16 units, as `length` counts them, so that pages put together give the text again. */
export const resultSlice = (
  text: string,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): { readonly text: string; readonly total: number } => {
  const start = Math.max(0, offset);
  return { text: text.slice(start, start + Math.max(0, limit)), total: text.length };
};
