/** Checks that the credential a tool needs is there, before a person is asked about the call. */
import type { Call, Next } from '../../contract/call.ts';
import type { ToolResult } from '../../contract/result.ts';
import type { Secrets } from '../../contract/secrets.ts';
import type { Stage } from '../../contract/stage.ts';
import type { AuthRequirement } from '../../contract/tool.ts';
import { failed } from '../outcome.ts';
import { prove } from '../pipeline.ts';

type Admitted = Call<'ready' | 'admitted'>;
type Onward = Next<Call<'ready' | 'admitted' | 'authenticated'>>;

const needCredential = async (
  call: Admitted,
  next: Onward,
  { secrets, auth }: { readonly secrets: Secrets; readonly auth: AuthRequirement },
): Promise<ToolResult> => {
  const secret = await secrets.get(auth.configKey);
  if (secret !== undefined && secret.trim() !== '') {
    return next(prove(call, 'authenticated', true));
  }
  return failed(call, 'AUTH_MISSING', {
    message: `The credential ${auth.configKey} is not configured.`,
    suggestions: [
      `Keep it with: toolcrib secrets set ${auth.configKey}`,
      ...(auth.setupUrl === undefined ? [] : [`Get one at ${auth.setupUrl}`]),
    ],
  });
};

export const authenticate = (secrets: Secrets): Stage<'ready' | 'admitted', 'authenticated'> =>
  function authenticate(call, next) {
    const { auth } = call.ready.tool;
    return auth?.required
      ? needCredential(call, next, { secrets, auth })
      : next(prove(call, 'authenticated', true));
  };
