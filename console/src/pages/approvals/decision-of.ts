/** Puts together what is sent to the server when a person decides. */
import type { ApprovalDecision } from '../../api/call-records.ts';

export interface Draft {
  readonly note: string;
  readonly remember: 'once' | 'session' | 'pattern';
  readonly condition: string;
  /** Given while the input is edited. */
  readonly edited?: { readonly input: unknown };
}

export const NEW_DRAFT: Draft = { note: '', remember: 'once', condition: '' };

const rememberOf = ({ remember, condition }: Draft): Pick<ApprovalDecision, 'remember'> => {
  if (remember === 'session') return { remember: { scope: 'session' } };
  if (remember !== 'pattern') return {};
  return { remember: { scope: 'pattern', condition: condition.trim() } };
};

/** Makes the decision. A refusal remembers nothing and changes no input. */
export const decisionOf = (approve: boolean, draft: Draft): ApprovalDecision => {
  const note = draft.note.trim();
  return {
    approve,
    ...(note !== '' && { note }),
    ...(approve && draft.edited && { input: draft.edited.input }),
    ...(approve && rememberOf(draft)),
  };
};
