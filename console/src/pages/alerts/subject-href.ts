/** Where the calls, or the server, that an alert is about are shown. */
import type { AlertRecord } from '../../api/alert-records.ts';
import { hrefOf } from '../../router/route.ts';

/** Makes the address; `undefined` for sources and for states of the whole crib, which have no page. */
export const subjectHref = (
  definition: Pick<AlertRecord['definition'], 'each' | 'tool' | 'caller'>,
  subject: string,
): string | undefined => {
  const { each, tool, caller } = definition;
  if (each === 'server') return hrefOf(['sources', 'mcp', subject]);
  const ofTool = each === 'tool' ? subject : tool;
  const ofCaller = each === 'caller' ? subject : caller;
  if (ofTool !== undefined) return hrefOf(['activity'], { tool: ofTool });
  return ofCaller === undefined ? undefined : hrefOf(['activity'], { user: ofCaller });
};
