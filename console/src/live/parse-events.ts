/** Reads a stream of server-sent events, chunk by chunk, as the HTML standard describes it. */
export interface ServerEvent {
  readonly id: string;
  readonly name: string;
  readonly data: string;
}

interface Fields {
  id?: string;
  name?: string;
  data?: string[];
}

const readField = (line: string, fields: Fields): void => {
  const colon = line.indexOf(':');
  // A line that starts with a colon is a comment: the heartbeat.
  if (colon === 0) return;
  const field = colon < 0 ? line : line.slice(0, colon);
  const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
  if (field === 'id' && !value.includes('\0')) fields.id = value;
  if (field === 'event') fields.name = value;
  if (field === 'data') fields.data = [...(fields.data ?? []), value];
};

export interface EventParser {
  /** Takes the next piece of text and gives the events it completes. */
  feed(chunk: string): readonly ServerEvent[];
  /** Returns the id to resume from; a block without data changes it, too. */
  lastId(): string;
}

export const createEventParser = (startAt = ''): EventParser => {
  let rest = '';
  let lastId = startAt;
  let fields: Fields = {};
  const endBlock = (): readonly ServerEvent[] => {
    const { id = lastId, data, name } = fields;
    lastId = id;
    fields = {};
    return data ? [{ id, name: name || 'message', data: data.join('\n') }] : [];
  };
  const feed = (chunk: string): readonly ServerEvent[] => {
    // A carriage return at the very end may be the first half of a line break.
    const lines = (rest + chunk).split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    return lines.flatMap((line) => {
      if (line === '') return endBlock();
      readField(line, fields);
      return [];
    });
  };
  return { feed, lastId: () => lastId };
};
