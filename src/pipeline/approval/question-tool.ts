/**
 * Makes a tool that does nothing but ask a person. The question waits in the inbox, is bound to its input and its
 * caller, and is answered once and recorded, like the approval of any other call.
 */
import type { ReadyTool } from '../../contract/call.ts';
import type { Schema } from '../../contract/schema.ts';
import { defineInternalTool } from '../internal-tool.ts';

export const questionTool = <I>(
  about: { readonly name: string; readonly description: string },
  input: Schema<I>,
): ReadyTool =>
  defineInternalTool(
    {
      ...about,
      tier: 'read_only',
      actionField: 'flow',
      capabilities: [],
      cost: { model: 'free' },
      run: () => ({ approved: true }),
    },
    { input, labels: { trust: 'trusted', sensitivity: 'public' }, alwaysAsks: true },
  );
