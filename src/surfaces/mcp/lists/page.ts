/** Lists in pages, as the protocol has them. */
import { pageOf as cutPage } from '../../door/page-of.ts';

export interface PageRequest<T> {
  readonly cursor: string | undefined;
  readonly size: number;
  keyOf(item: T): string;
}

/** Cuts one page out of a list. Fails with VALIDATION_ERROR for a foreign cursor. */
export const pageOf = <T>(
  all: readonly T[],
  { cursor, size, keyOf }: PageRequest<NoInfer<T>>,
): { readonly items: readonly T[]; readonly nextCursor?: string } => {
  const { items, next } = cutPage(all, { keyOf }, { cursor, limit: size });
  return next === undefined ? { items } : { items, nextCursor: next };
};
