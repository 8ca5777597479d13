/**
 * Makes the definition of a server from the descriptors of its files. Names and counts are checked:
 * they come from outside.
 */
import { isPrototypeKey } from '../../../kit/data/prototype-key.ts';
import { isIdentifier, isTypeName } from './checked-names.ts';
import { commentsOf, docText } from './comments.ts';
import type {
  EnumDescriptor,
  FileDescriptor,
  MessageDescriptor,
  MethodDescriptor,
  ServiceDescriptor,
} from './descriptors.ts';
import { fieldModels, type MessageScope } from './field-models.ts';
import type { EnumModel, MessageModel, MethodModel, ServiceModel, TypeModels } from './model.ts';
import { createResolver, type Resolver } from './resolve-type.ts';

/** More is refused: nobody could look at it. */
const MAX_TYPES = 50_000;
const MAX_FIELDS = 500_000;
const MAX_METHODS = 20_000;
const MAX_NESTING = 60;

/** Thrown for descriptors that cannot be used. */
export class FaultyDescriptors extends Error {}

export interface BuiltTypes extends TypeModels {
  readonly services: readonly ServiceModel[];
}

interface Collected {
  readonly messages: Map<
    string,
    { readonly descriptor: MessageDescriptor; readonly scope: MessageScope }
  >;
  readonly enums: Map<string, EnumDescriptor>;
  readonly services: Map<
    string,
    { readonly descriptor: ServiceDescriptor; readonly scope: string }
  >;
  fields: number;
}

/** Makes the full name of a nested type; `undefined` for an invalid name, whose uses are refused later. */
const below = (scope: string, name: string | undefined): string | undefined => {
  if (name === undefined || !isIdentifier(name)) return undefined;
  const full = scope === '' ? name : `${scope}.${name}`;
  return isPrototypeKey(full) ? undefined : full;
};

const assertRoom = (collected: Collected): void => {
  const { messages, enums, fields } = collected;
  if (messages.size + enums.size > MAX_TYPES || fields > MAX_FIELDS) {
    throw new FaultyDescriptors(`more than ${MAX_TYPES} types or ${MAX_FIELDS} fields`);
  }
};

const collectMessage = (
  descriptor: MessageDescriptor,
  scope: MessageScope,
  { collected, depth }: { readonly collected: Collected; readonly depth: number },
): void => {
  const name = below(scope.name, descriptor.name);
  if (name === undefined || depth > MAX_NESTING) return;
  const own = { ...scope, name, features: { ...scope.features, ...descriptor.options?.features } };
  collected.fields += descriptor.field.length;
  // The first definition counts: another file cannot replace it.
  if (!collected.messages.has(name)) collected.messages.set(name, { descriptor, scope: own });
  assertRoom(collected);
  for (const one of descriptor.enumType) collectEnum(one, name, collected);
  for (const one of descriptor.nestedType)
    collectMessage(one, own, { collected, depth: depth + 1 });
};

const collectEnum = (descriptor: EnumDescriptor, scope: string, collected: Collected): void => {
  const name = below(scope, descriptor.name);
  if (name === undefined) return;
  collected.fields += descriptor.value.length;
  if (!collected.enums.has(name)) collected.enums.set(name, descriptor);
  assertRoom(collected);
};

const collect = (files: readonly FileDescriptor[]): Collected => {
  const collected: Collected = {
    messages: new Map(),
    enums: new Map(),
    services: new Map(),
    fields: 0,
  };
  for (const plain of files) {
    const scope = plain.package ?? '';
    if (scope !== '' && !isTypeName(scope)) continue;
    const file = commentsOf(plain);
    const top: MessageScope = {
      name: scope,
      syntax: file.edition === undefined ? (file.syntax ?? 'proto2') : 'editions',
      features: file.options?.features ?? {},
    };
    for (const one of file.enumType) collectEnum(one, scope, collected);
    for (const one of file.messageType) collectMessage(one, top, { collected, depth: 0 });
    for (const one of file.service) {
      const name = below(scope, one.name);
      if (name !== undefined && !collected.services.has(name)) {
        collected.services.set(name, { descriptor: one, scope });
      }
    }
  }
  return collected;
};

const enumModel = ({ value }: EnumDescriptor): EnumModel => ({
  values: value.flatMap(({ name = '', number = 0 }) =>
    isIdentifier(name) && !isPrototypeKey(name) ? [[name, number] as const] : [],
  ),
});

const LEVELS = [undefined, 'NO_SIDE_EFFECTS', 'IDEMPOTENT'] as const;

/** Makes the model of a method. A type that cannot be found keeps its name, and the method is refused later. */
const methodModel = (
  { name = '', inputType = '', outputType = '', options, ...method }: MethodDescriptor,
  scope: string,
  resolve: Resolver,
): MethodModel => {
  const idempotency = LEVELS[options?.idempotencyLevel ?? 0];
  return {
    name,
    input: resolve(inputType, scope)?.name ?? inputType,
    output: resolve(outputType, scope)?.name ?? outputType,
    ...(method.clientStreaming && { clientStream: true }),
    ...(method.serverStreaming && { serverStream: true }),
    ...(idempotency && { idempotency }),
    ...(options?.deprecated && { deprecated: true }),
    ...docText(method.doc),
  };
};

const servicesOf = ({ services }: Collected, resolve: Resolver): readonly ServiceModel[] => {
  const models = [...services].map(([name, { descriptor }]) => ({
    name,
    methods: descriptor.method.map((method) => methodModel(method, name, resolve)),
    ...docText(descriptor.doc),
  }));
  const count = models.reduce((sum, { methods }) => sum + methods.length, 0);
  if (count > MAX_METHODS) throw new FaultyDescriptors(`more than ${MAX_METHODS} methods`);
  return models;
};

/** Throws `FaultyDescriptors` for more than anybody could use. */
export const buildTypes = (files: readonly FileDescriptor[]): BuiltTypes => {
  const collected = collect(files);
  const resolve = createResolver(collected.messages, collected.enums);
  const messages = [...collected.messages].map(
    ([name, { descriptor, scope }]): [string, MessageModel] => [
      name,
      {
        fields: fieldModels(descriptor, scope, resolve),
        ...(descriptor.options?.mapEntry && { entry: true }),
        ...docText(descriptor.doc),
      },
    ],
  );
  return {
    services: servicesOf(collected, resolve),
    messages: Object.fromEntries(messages),
    enums: Object.fromEntries([...collected.enums].map(([name, one]) => [name, enumModel(one)])),
  };
};
