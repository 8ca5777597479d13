/** Tells the file of a tool from that of a flow: the fields of a flow say nothing about it. */
import type { FlowFault } from '../../../contract/flow-data.ts';
import { isRecord } from '../../../kit/data/is-record.ts';
import { readYaml } from '../../../kit/text/strict-yaml.ts';

const RULES = { maxDepth: 64, maxNodes: 250_000, aliases: 'refuse' } as const;

const kindOf = (value: unknown): string | undefined => {
  if (!isRecord(value) || 'steps' in value) return undefined;
  if (value.type === 'composed') return 'a composed tool';
  return 'code' in value && 'schema' in value ? 'a tool with code' : undefined;
};

/** Returns the one fault of a text that defines a tool; nothing for any other text. */
export const toolFileFault = async (text: string): Promise<FlowFault | undefined> => {
  const kind = kindOf(readYaml(await import('yaml'), text, RULES).value);
  if (kind === undefined) return undefined;
  const message = `this is ${kind}, and no flow; its faults are reported by: toolcrib tools test`;
  return { path: [], message, severity: 'error', line: 1, column: 1 };
};
