/** The headers of a request as Node read them, looked through when somebody asks. */

export class RawHeaders implements Pick<Headers, 'get' | 'has'> {
  readonly #raw: readonly string[];

  /** Names and values in turn. */
  constructor(raw: readonly string[]) {
    this.#raw = raw;
  }

  /** Of two headers with one name both count: a proxy in front may have gone by either. */
  get(name: string): string | null {
    const raw = this.#raw;
    const wanted = name.toLowerCase();
    let found: string | null = null;
    for (let at = 0; at + 1 < raw.length; at += 2) {
      const given = raw[at] as string;
      if (given.length !== wanted.length || given.toLowerCase() !== wanted) continue;
      const value = raw[at + 1] as string;
      found = found === null ? value : `${found}, ${value}`;
    }
    return found;
  }

  has(name: string): boolean {
    return this.get(name) !== null;
  }

  /** The web's own. */
  toHeaders(): Headers {
    const raw = this.#raw;
    const headers = new Headers();
    for (let at = 0; at + 1 < raw.length; at += 2) {
      headers.append(raw[at] as string, raw[at + 1] as string);
    }
    return headers;
  }
}
