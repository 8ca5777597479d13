/** Ends subscriptions with the stream that they belong to, however that ends. */
export const untilClosed = (
  response: Response,
  signal: AbortSignal,
  stop: () => void,
): Response => {
  const { body, status, headers } = response;
  if (!body || !headers.get('content-type')?.startsWith('text/event-stream')) {
    stop();
    return response;
  }
  const reader = body.getReader();
  signal.addEventListener('abort', stop, { once: true });
  const over = (): void => {
    signal.removeEventListener('abort', stop);
    stop();
  };
  const stream = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      try {
        const { done, value } = await reader.read();
        if (!done) {
          controller.enqueue(value);
          return;
        }
        over();
        controller.close();
      } catch (error) {
        over();
        controller.error(error);
      }
    },
    cancel: async (reason) => {
      over();
      await reader.cancel(reason);
    },
  });
  return new Response(stream, { status, headers });
};
