/**
 * Keeps the labels of a stored result in its handle: every session that reads the result takes them on.
 * A handle that was changed belongs to no result.
 */
import type { Labels } from '../../contract/result.ts';

const LETTERS = { public: '', private: 'p', secret: 's' } as const;

/** Adds the marks of a result's labels to its handle. */
export const markHandle = (handle: string, { trust, sensitivity }: Labels): string => {
  const marks = `${trust === 'trusted' ? '' : 'u'}${LETTERS[sensitivity]}`;
  return marks === '' ? handle : `${handle}-${marks}`;
};

export const labelsOfHandle = (handle: string): Labels => {
  const [, untrusted, sensitivity] = /-(u?)([ps]?)$/.exec(handle) ?? [];
  return {
    trust: untrusted ? 'untrusted' : 'trusted',
    sensitivity: sensitivity === 's' ? 'secret' : sensitivity === 'p' ? 'private' : 'public',
  };
};

const RANK = { public: 0, private: 1, secret: 2 } as const;

/** Gives the labels of data that was made of both. */
export const joinLabels = (one: Labels, other: Labels): Labels => ({
  trust: one.trust === 'trusted' ? other.trust : one.trust,
  sensitivity:
    RANK[one.sensitivity] >= RANK[other.sensitivity] ? one.sensitivity : other.sensitivity,
});
