/** Turns what a person wrote after `permissions grant` into a permission that a tool asks for. */
import type { Catalog } from '../../../contract/catalog.ts';
import type { Servers } from '../../../contract/servers.ts';
import { misuse } from '../../input/misuse.ts';

export interface GrantableTools {
  readonly tools: Pick<Catalog, 'get' | 'list' | 'suggest'>;
  readonly servers: Pick<Servers, 'list'>;
}

export interface GrantedResource {
  readonly resource: string;
  /** Something to tell the person who grants. */
  readonly warning?: string;
}

const TOOL = 'tool:';

const isAsked = (permission: string, { tools }: GrantableTools): boolean =>
  tools.list().some(({ tool }) => tool.permissions?.includes(permission));

/** A server that does not run may have tools that nobody knows of yet. */
const mayComeLater = ({ servers }: GrantableTools): boolean =>
  servers.list().some(({ state }) => state !== 'ready' && state !== 'disabled');

/** The name of a tool will do for the tool itself. Throws VALIDATION_ERROR for one that is not there. */
export const grantedResource = (written: string, known: GrantableTools): GrantedResource => {
  const isTool = written.startsWith(TOOL);
  const isOther = written.includes(':') && !isTool;
  if (written.includes('*') || isOther || isAsked(written, known)) return { resource: written };
  const name = isTool ? written.slice(TOOL.length) : written;
  const tool = known.tools.get(name)?.tool;
  if (tool) return { resource: `${TOOL}${tool.name}` };
  const near = known.tools.suggest(name);
  if (mayComeLater(known) && near.length === 0) {
    const warning = `No tool ${name} is known now; a server that is not connected may bring it.`;
    return { resource: `${TOOL}${name}`, warning };
  }
  throw misuse(
    `There is no tool named ${name}, so the grant would do nothing.`,
    near.length > 0
      ? `Did you mean ${near.map((each) => `${TOOL}${each}`).join(' or ')}?`
      : 'See all: toolcrib tools list',
  );
};
