/**
 * Handles SIGUSR2 in a worker or an MCP server without HTTP: logs everything for a while; a second signal
 * ends that.
 */
import { MINUTE_MS } from '../../kit/data/durations.ts';
import type { CommandLog, Io } from '../io.ts';

const DEBUG_MS = 10 * MINUTE_MS;

/** Starts to listen; returns a function that stops. */
export const switchOnSignal = (io: Io, { service }: CommandLog): (() => void) => {
  if (process.platform === 'win32' || !service) return () => undefined;
  const { levels } = service;
  const onSignal = (): void => {
    const { level, configured, until } = levels.state();
    if (level === 'debug' && until !== undefined) levels.set(configured);
    else levels.set('debug', DEBUG_MS);
  };
  io.signals.on('SIGUSR2', onSignal);
  return () => io.signals.off('SIGUSR2', onSignal);
};
