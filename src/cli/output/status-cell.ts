/** Statuses and effects in their colours. */
import type { Colors } from 'picocolors/types.js';
import type { AuditStatus } from '../../contract/audit.ts';
import type { ExecutionStatus } from '../../contract/crib-members.ts';
import type { Cell } from './table.ts';

export const statusCell = (status: AuditStatus, ink: Colors): Cell => {
  if (status === 'success') return { text: status, paint: ink.green };
  if (status === 'failure' || status === 'denied') return { text: status, paint: ink.red };
  return { text: status, paint: ink.yellow };
};

const WORDS: Readonly<Record<ExecutionStatus['effect'], string>> = {
  none: 'none',
  done: 'done',
  not_done: 'not done',
  unknown: 'unknown',
  undone: 'undone',
};

export const effectCell = (effect: ExecutionStatus['effect'], ink: Colors): Cell => ({
  text: WORDS[effect],
  ...(effect === 'unknown' ? { paint: ink.red } : effect === 'none' ? { paint: ink.dim } : {}),
});
