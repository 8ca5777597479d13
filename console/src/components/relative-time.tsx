/** A moment as people say it, with the exact one on demand; it stays right while the page is open. */
import { useEffect, useState } from 'react';
import { useServices } from '../api/services.tsx';
import { exactTime, relativeTime } from './format.ts';

const TICK_MS = 15_000;

/** Returns the present moment, updated from time to time. */
export const useNow = (everyMs: number = TICK_MS): number => {
  const { now } = useServices();
  const [moment, setMoment] = useState(now);
  useEffect(() => {
    const timer = setInterval(() => setMoment(now()), everyMs);
    return () => clearInterval(timer);
  }, [now, everyMs]);
  return moment;
};

export const RelativeTime = ({ at }: { readonly at: number }) => {
  const moment = useNow();
  return (
    <time dateTime={new Date(at).toISOString()} title={exactTime(at)}>
      {relativeTime(at, moment)}
    </time>
  );
};
