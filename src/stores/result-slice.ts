/** Cuts a page out of a stored result, by UTF-16 units, so that all pages together are the text. */
export const resultSlice = (
  text: string,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): { readonly text: string; readonly total: number } => {
  const start = Math.max(0, offset);
  return { text: text.slice(start, start + Math.max(0, limit)), total: text.length };
};
