/** A request as the door sees it: as little of it as it needs, read from wherever it came. */
import type { Sdk } from '../load-sdk.ts';
import type { RequestHead } from '../mcp-options.ts';

export interface DoorRequest {
  readonly method: string;
  /** What whoever authenticates it gets to see. */
  readonly head: RequestHead;
  /** Of a name in lower case; several of one name are joined. */
  header(name: string): string | null;
  /** Undefined when there is more than allowed; the rest is not read. Rejects when the client goes. */
  text(most: number): Promise<string | undefined>;
  /** The web's own, for the library: its body may have been read by then. Costs more than all else. */
  web(): Request;
}

/** The request of somebody who serves the web's own objects. */
export const fromWebRequest = (request: Request, sdk: Sdk): DoorRequest => ({
  method: request.method,
  head: request,
  header: (name) => request.headers.get(name),
  text: async (most) => {
    const body = await sdk.readRequestBody(request, most);
    return body.tooLarge ? undefined : body.text;
  },
  web: () => request,
});
