/** The calls that are under way, as the live line tells of them. The history knows only finished ones. */
import { useState } from 'react';
import type { ExecutionSummary } from '../../api/call-records.ts';
import { useServices } from '../../api/services.tsx';
import type { LiveEvent } from '../../live/live-events.ts';
import { useLive } from '../../live/use-live.ts';

const MOST = 50;

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

const started = ({ data }: LiveEvent, at: number): ExecutionSummary => ({
  executionId: text(data.executionId),
  tool: text(data.tool),
  userId: text(data.userId),
  status: 'running',
  at,
  version: '',
  tier: '',
  code: '',
  durationMs: 0,
  costUsd: 0,
  agentId: '',
  sessionId: '',
});

export type Running = ReadonlyMap<string, ExecutionSummary>;

export const nextRunning = (running: Running, event: LiveEvent, at: number): Running => {
  const id = text(event.data.executionId);
  const next = new Map(running);
  if (event.name === 'line.reopened' || event.name === 'stream.reset') next.clear();
  else if (event.name === 'call.finished') next.delete(id);
  else if (next.size < MOST) next.set(id, started(event, at));
  return next;
};

/** Newest first. After a loss of the line nothing is known to run. */
export const useRunning = (): readonly ExecutionSummary[] => {
  const { now } = useServices();
  const [running, setRunning] = useState<Running>(new Map());
  useLive(['call.started', 'call.finished', 'line.reopened', 'stream.reset'], (event) =>
    setRunning((old) => nextRunning(old, event, now())),
  );
  return [...running.values()].reverse();
};
