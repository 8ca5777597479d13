/** The question "what would happen if": a tool, an input and who asks, as the form has them. */
export interface WhoForm {
  readonly user: string;
  readonly agent: string;
  /** Names with commas or spaces between them. */
  readonly roles: string;
  /** Empty stands for the caller's own. */
  readonly isolation: string;
}

export const NOBODY_ELSE: WhoForm = { user: '', agent: '', roles: '', isolation: '' };

export const ISOLATIONS = ['none', 'basic', 'strict', 'paranoid'] as const;

export interface ExplainRequest {
  readonly tool: string;
  readonly input: unknown;
  readonly as?: {
    readonly userId?: string;
    readonly agentId?: string;
    readonly roles?: readonly string[];
    readonly isolation?: string;
  };
}

export const namesIn = (text: string): readonly string[] => text.split(/[\s,]+/).filter(Boolean);

/** Makes the request. Blank fields stand for the person who is signed in. */
export const explainRequest = (tool: string, input: unknown, who: WhoForm): ExplainRequest => {
  const roles = namesIn(who.roles);
  const as = {
    ...(who.user.trim() !== '' && { userId: who.user.trim() }),
    ...(who.agent.trim() !== '' && { agentId: who.agent.trim() }),
    ...(roles.length > 0 && { roles }),
    ...(who.isolation !== '' && { isolation: who.isolation }),
  };
  return { tool, input, ...(Object.keys(as).length > 0 && { as }) };
};
