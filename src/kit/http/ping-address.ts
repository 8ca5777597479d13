/** Asks whether anything answers at an address. */
import { ToolFailure } from '../../contract/errors.ts';
import type { ReadDeps } from '../../contract/source-driver.ts';
import { reasonOf } from '../data/reason-of.ts';
import { visibleText } from '../text/visible-text.ts';

/** A gateway answers for a service that is down. */
const GATEWAY_FAULTS: ReadonlySet<number> = new Set([502, 503, 504]);

/**
 * Sends a request without credentials. Any answer counts, also one that asks for a login or finds nothing.
 * Rejects with NETWORK, with SERVER_ERROR where a gateway says that the service is down, or with what the
 * egress guard says.
 */
export const pingAddress = async (
  address: string,
  { fetch, signal, redact }: Pick<ReadDeps, 'fetch' | 'signal' | 'redact'>,
): Promise<void> => {
  const { origin } = new URL(address);
  const response = await fetch(address, { signal, redirect: 'manual' }).catch((error: unknown) => {
    if (error instanceof ToolFailure) throw error;
    const reason = visibleText(redact(reasonOf(error)));
    throw new ToolFailure('NETWORK', `${origin} cannot be reached: ${reason}`, {
      suggestions: ['Check the address of the source, and that the service runs.'],
    });
  });
  await response.body?.cancel();
  if (GATEWAY_FAULTS.has(response.status)) {
    throw new ToolFailure('SERVER_ERROR', `${origin} answered HTTP ${response.status}.`, {
      suggestions: ['The service is down: try again later.'],
    });
  }
};
