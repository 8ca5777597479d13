/** The refusal where the configuration of a team allows no tools but its own. */
import { ToolFailure } from '../../contract/errors.ts';

export const noLocalTools = (): ToolFailure =>
  new ToolFailure('PERMISSION_DENIED', 'A team allows no local tools.', {
    suggestions: ['Propose it for the catalog of the team: toolcrib team propose.'],
  });
