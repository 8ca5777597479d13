/** The schemas of the answers of an operation, and whether an answer fits. */
import type { JsonSchema, Schema } from '../../../contract/schema.ts';
import { isRecord } from '../../../kit/data/is-record.ts';
import type { Operation } from '../operations/list-operations.ts';
import type { Located } from '../operations/resolver.ts';
import { swaggerContent } from '../operations/swagger-two.ts';
import type { SchemaBook } from '../schema/schema-book.ts';

const JSON_TYPE = /^[^/;]+\/(?:[^/;]+\+)?json\b|^\*\/\*$/i;
/** Also with parameters, by which some APIs tell their versions. */
const MEDIA_TYPE =
  /^[\w!#$&^.+*-]+\/[\w!#$&^.+*-]+(?:\s?;\s?[\w-]{1,50}=(?:[\w.+-]{1,100}|"[\w.+ /:-]{1,200}"))*$/;
const MAX_TYPES = 4;

export type Compile = (schema: JsonSchema) => Schema | Promise<Schema>;

export class Responses {
  readonly #operation: Operation;
  readonly #book: SchemaBook;
  readonly #checks = new Map<string, Promise<Schema | undefined>>();

  constructor(operation: Operation, book: SchemaBook) {
    this.#operation = operation;
    this.#book = book;
  }

  /** Returns the value of `Accept`: the types of the document, JSON first. */
  get accept(): string {
    const types = this.#successes()
      .flatMap((key) => Object.keys(this.#content(key) ?? {}))
      .filter((type) => MEDIA_TYPE.test(type))
      .sort((a, b) => Number(JSON_TYPE.test(b)) - Number(JSON_TYPE.test(a)));
    const listed = [...new Set(types)].slice(0, MAX_TYPES);
    if (listed.length === 0) return 'application/json, */*;q=0.5';
    return [...listed.filter((type) => type !== '*/*'), '*/*;q=0.1'].join(', ');
  }

  /**
   * Describes what is wrong with an answer; `undefined` when it fits or the document does not describe
   * it.
   */
  async fault(status: number, body: unknown, compile: Compile): Promise<string | undefined> {
    const key = this.#keyOf(status);
    if (key === undefined) return undefined;
    const checks = this.#checks.get(key) ?? this.#compiled(key, compile);
    this.#checks.set(key, checks);
    const result = (await checks)?.validate(body);
    if (!result || result.ok) return undefined;
    const [issue] = result.issues;
    const at = issue ? `${issue.path.slice(0, 10).join('.') || 'body'} ${issue.message}` : '';
    return `${at}${result.issues.length > 1 ? ` (and ${result.issues.length - 1} more)` : ''}`;
  }

  /** Returns the schema of the tool's result. */
  output(): JsonSchema {
    const bodies = this.#successes().flatMap((key) => this.#schemaOf(key) ?? []);
    const [first] = bodies;
    const converted = bodies.map((located) =>
      this.#book.bounded(this.#book.convert(located, 'response'), 'response'),
    );
    const body = first && converted.length === 1 ? converted[0]?.schema : undefined;
    const names = new Set(converted.flatMap((one) => [...one.names]));
    const schema: JsonSchema = {
      type: 'object',
      properties: {
        status: { type: 'integer' },
        ...(first && { body: body ?? { anyOf: converted.map((one) => one.schema) } }),
        nextPage: { type: 'object', description: 'Fields of the input for the next page.' },
      },
      required: ['status'],
    };
    return this.#book.assemble({ schema, names }, 'response');
  }

  async #compiled(key: string, compile: Compile): Promise<Schema | undefined> {
    const located = this.#schemaOf(key);
    if (!located) return undefined;
    const converted = this.#book.bounded(this.#book.convert(located, 'response'), 'response');
    try {
      return await compile(this.#book.assemble(converted, 'response'));
    } catch {
      // An answer that cannot be checked is still useful.
      return undefined;
    }
  }

  #all(): Readonly<Record<string, unknown>> {
    const { responses } = this.#operation.fields;
    return isRecord(responses) ? responses : {};
  }

  #successes(): readonly string[] {
    const keys = Object.keys(this.#all());
    const good = keys.filter((key) => /^2(?:\d\d|XX)$/i.test(key));
    return good.length > 0 ? good : keys.filter((key) => key === 'default');
  }

  #keyOf(status: number): string | undefined {
    const all = this.#all();
    const range = `${Math.floor(status / 100)}`;
    return [`${status}`, `${range}XX`, `${range}xx`, 'default'].find((key) =>
      Object.hasOwn(all, key),
    );
  }

  #content(key: string): Readonly<Record<string, unknown>> | undefined {
    const { address, fields } = this.#operation;
    const { resolver } = this.#book;
    const response = resolver.fields({ value: this.#all()[key], address, pointer: '' });
    if (!response) return undefined;
    const content =
      response.value.content ??
      swaggerContent(response.value, { operation: fields, root: resolver.root });
    return isRecord(content) ? content : undefined;
  }

  #schemaOf(key: string): Located | undefined {
    const { address } = this.#operation;
    const located = { value: this.#all()[key], address, pointer: '' };
    const from = this.#book.resolver.fields(located)?.address ?? address;
    const content = this.#content(key) ?? {};
    const type = Object.keys(content).find((one) => JSON_TYPE.test(one));
    const media = type === undefined ? undefined : content[type];
    if (!isRecord(media) || !isRecord(media.schema)) return undefined;
    return { value: media.schema, address: from, pointer: '' };
  }
}
