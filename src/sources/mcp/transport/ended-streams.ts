/**
 * Fails a request over HTTP when the stream that should bring its answer ends without it. The SDK
 * reports that to nobody: such a request would wait for its whole time.
 */
import type { Transport, TransportSendOptions } from '@modelcontextprotocol/client';

type Send = Transport['send'];

/** Makes a transport, before it is connected, fail such requests with what `lost` returns. */
export const failWithStream = (transport: Transport, lost: () => Error): void => {
  const send: Send = transport.send.bind(transport);
  const onMessage = transport.onmessage;
  // By number, as the SDK finds its requests: some servers answer with the id as text.
  const unanswered = new Set<number>();
  transport.onmessage = (message, extra) => {
    if (!('method' in message) && message.id !== undefined) unanswered.delete(Number(message.id));
    onMessage?.(message, extra);
  };
  const sendRequest = (
    message: Parameters<Send>[0],
    id: number,
    options: TransportSendOptions | undefined,
  ): Promise<void> =>
    new Promise((_, reject) => {
      unanswered.add(id);
      options?.requestSignal?.addEventListener('abort', () => unanswered.delete(id), {
        once: true,
      });
      const onRequestStreamEnd = (): void => {
        if (unanswered.delete(id)) reject(lost());
      };
      // Never fulfilled: the SDK waits for the answer, and here only for a failure.
      send(message, { ...options, onRequestStreamEnd }).catch((error: unknown) => {
        unanswered.delete(id);
        reject(error);
      });
    });
  transport.send = (message, options) =>
    'method' in message && 'id' in message && !options?.onRequestStreamEnd
      ? sendRequest(message, Number(message.id), options)
      : send(message, options);
};
