/** A web response of events that can be ended from outside. */

/** Registers `end`, which is called when the client may no longer read. Returns how to unregister it. */
export type Hold = (end: () => void) => () => void;

type Controller = ReadableStreamDefaultController<Uint8Array>;

const endable = (body: ReadableStream<Uint8Array>, hold: Hold): ReadableStream<Uint8Array> => {
  const reader = body.getReader();
  let release = (): void => undefined;
  let isOver = false;
  const source = {
    start: (controller: Controller) => {
      release = hold(() => {
        isOver = true;
        controller.close();
        // Tells the producer that nobody reads its events.
        reader.cancel().catch(() => undefined);
      });
    },
    pull: async (controller: Controller) => {
      const { done, value } = await reader.read().catch((error: unknown) => {
        release();
        throw error;
      });
      if (isOver) return;
      if (!done) return controller.enqueue(value);
      release();
      controller.close();
    },
    cancel: (reason: unknown) => {
      release();
      return reader.cancel(reason);
    },
  };
  // Reads nothing ahead, so that a slow reader slows the producer down.
  return new ReadableStream(source, { highWaterMark: 0 });
};

/** Wraps a response of events; any other is returned unchanged, because it ends by itself. */
export const endableResponse = (response: Response, hold: Hold): Response => {
  const { body, status, headers } = response;
  const isEvents = headers.get('content-type')?.startsWith('text/event-stream') ?? false;
  return body && isEvents ? new Response(endable(body, hold), { status, headers }) : response;
};
