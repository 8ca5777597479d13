/** A value that follows another once it has stopped changing: for requests while somebody types. */
import { useEffect, useState } from 'react';

const QUIET_MS = 200;

export const useSettled = <T>(value: T): T => {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), QUIET_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
};
