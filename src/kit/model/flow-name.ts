/**
 * The names under which flows are offered as tools. A name follows from that of the flow alone, is
 * accepted by every client, and no two flows can have the same.
 */
import { sha256Hex } from '../data/canonical-json.ts';

/** What every such name begins with. */
export const FLOW_PREFIX = 'flow_';

/** What all clients take in a name, and so much of it that a prefix of the client still fits. */
const PLAIN = /^[A-Za-z0-9_-]{1,50}$/;
const MAX_READABLE = 32;
const DIGEST_CHARS = 16;

/** The end of a derived name. A flow that is called so gets a derived name itself. */
const DERIVED = /_x[0-9a-f]{16}$/;

/** Makes a name that no plain one can equal: a readable part and a digest of the whole. */
export const derivedName = (flow: string): string => {
  const readable = flow.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, MAX_READABLE);
  return `${FLOW_PREFIX}${readable}_x${sha256Hex(flow).slice(0, DIGEST_CHARS)}`;
};

/**
 * Returns the name of a flow as a tool. A name that leads to a real tool stays with that tool: the
 * flow then has its derived name.
 */
export const flowToolName = (flow: string, isTool: (name: string) => boolean): string => {
  const plain = `${FLOW_PREFIX}${flow}`;
  const isFree = PLAIN.test(flow) && !DERIVED.test(flow) && !isTool(plain);
  return isFree ? plain : derivedName(flow);
};
