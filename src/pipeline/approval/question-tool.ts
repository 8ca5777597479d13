/**
 * Makes a tool whose call is a question to a person: it waits in the inbox, is bound to what was asked and to its
 * caller, is answered once and recorded, like that of any other call. It does nothing else.
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
