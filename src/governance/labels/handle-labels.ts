/**
 * The labels of a stored result, kept in its handle: whoever reads it later, in whichever session,
 * takes them on. A handle that was changed names nothing.
 */
import type { Labels } from '../../contract/result.ts';

const LETTERS = { public: '', private: 'p', secret: 's' } as const;

/** The handle with the marks of what it stands for. */
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

/** What data made of both carries. */
export const joinLabels = (one: Labels, other: Labels): Labels => ({
  trust: one.trust === 'trusted' ? other.trust : one.trust,
  sensitivity:
    RANK[one.sensitivity] >= RANK[other.sensitivity] ? one.sensitivity : other.sensitivity,
});
