/** Links from a figure to the calls that it counts. */
import { hrefOf } from '../router/route.ts';

export interface CallsBehind {
  readonly tool?: string | undefined;
  /** One status, or several with commas between them. */
  readonly status?: string | undefined;
  readonly code?: string | undefined;
  readonly user?: string | undefined;
  /** Milliseconds since the epoch; `to` exclusive. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly overMs?: number | undefined;
  readonly upToMs?: number | undefined;
}

const textOf = (value: number | undefined): string | undefined =>
  value === undefined ? undefined : String(value);

export const callsHref = ({ from, to, overMs, upToMs, ...names }: CallsBehind): string =>
  hrefOf(['activity'], {
    ...names,
    from: textOf(from),
    to: textOf(to),
    overMs: textOf(overMs),
    upToMs: textOf(upToMs),
  });
