/**
 * The calls under way: those that the server listed when the page opened or the connection came back, and
 * those that live events have reported since. The history has finished ones only.
 */
import { useEffect, useRef, useState } from 'react';
import type { ExecutionSummary, RunningCall } from '../api/call-records.ts';
import { useServices } from '../api/services.tsx';
import { useLoad } from '../api/use-load.ts';
import type { LiveEvent } from './live-events.ts';
import { useLive } from './use-live.ts';

const MAX_SHOWN = 50;
/** Ends that are remembered while a list is on its way which may not know of them. */
const MAX_ENDED = 1_000;

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
  if (event.name === 'call.finished') next.delete(id);
  else if (next.size < MAX_SHOWN) next.set(id, started(event, at));
  return next;
};

/** Makes the map from the list of the server, oldest first, without the calls that have ended since. */
export const seedRunning = (
  calls: readonly ExecutionSummary[],
  ended: ReadonlySet<string>,
): Running =>
  new Map(
    calls
      .filter(({ executionId }) => !ended.has(executionId))
      .slice(0, MAX_SHOWN)
      .toReversed()
      .map((call) => [call.executionId, call]),
  );

/** Lists the running calls, newest first. */
export const useRunning = (): readonly ExecutionSummary[] => {
  const { api, now } = useServices();
  const [running, setRunning] = useState<Running>(new Map());
  const ended = useRef(new Set<string>());
  const list = useLoad('running', () => {
    ended.current.clear();
    return api.get<{ readonly items: readonly RunningCall[] }>('/v1/executions/running');
  });
  const { data } = list;
  useEffect(() => {
    if (data) setRunning(seedRunning(data.items, ended.current));
  }, [data]);
  useLive(['call.started', 'call.finished', 'connection.reopened', 'stream.reset'], (event) => {
    if (event.name === 'connection.reopened' || event.name === 'stream.reset') {
      list.reload();
      return;
    }
    if (event.name === 'call.finished' && ended.current.size < MAX_ENDED) {
      ended.current.add(text(event.data.executionId));
    }
    setRunning((old) => nextRunning(old, event, now()));
  });
  return [...running.values()].reverse();
};
