/** The last calls that a rule in shadow mode would have refused or asked about. */
import type { Events } from '../../contract/events.ts';
import type { ShadowFinding } from '../../contract/policy.ts';
import type { Runtime } from '../../contract/runtime.ts';

export interface ShadowNote {
  readonly at: number;
  readonly executionId: string;
  readonly tool: string;
  readonly findings: readonly ShadowFinding[];
}

export interface ShadowNotes {
  /** Lists the notes, newest first. */
  list(): readonly ShadowNote[];
  close(): void;
}

const MAX_NOTES = 1000;

export const watchShadow = (events: Events, runtime: Pick<Runtime, 'now'>): ShadowNotes => {
  const notes: ShadowNote[] = [];
  const close = events.on('policy.shadowed', (shadowed) => {
    notes.push({ at: runtime.now(), ...shadowed });
    if (notes.length > MAX_NOTES) notes.shift();
  });
  return { list: () => notes.toReversed(), close };
};
