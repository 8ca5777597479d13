/** The work of making the definition of a server from the descriptors of its files. */
import { ToolFailure } from '../../../contract/errors.ts';
import { reasonOf } from '../../../kit/data/reason-of.ts';
import { buildTypes, FaultyDescriptors } from './build-definition.ts';
import { isOwnService } from './checked-names.ts';
import type { FileDescriptor } from './descriptors.ts';
import type { GrpcDefinition, ServiceModel, TypeModels } from './model.ts';

export interface DescribedFiles {
  readonly files: readonly FileDescriptor[];
  /** The services that the server lists; `undefined` where it was not asked. */
  readonly listed: readonly string[] | undefined;
}

/** The services and the types that they use; types that no service uses stay in the process. */
export type BuiltDefinition = Pick<GrpcDefinition, 'services' | 'messages' | 'enums'>;

const ANY = 'google.protobuf.Any';

/**
 * Leaves out the types that no method can reach, so that the cached definition stays small. An `Any`
 * can hold each of the types: then all of them stay.
 */
const usedTypes = (services: readonly ServiceModel[], types: TypeModels): TypeModels => {
  const used = new Set(
    services.flatMap(({ methods }) => methods.flatMap(({ input, output }) => [input, output])),
  );
  for (const name of used) {
    const fields = Object.hasOwn(types.messages, name) ? types.messages[name]?.fields : undefined;
    for (const { ref } of fields ?? []) if (ref !== undefined) used.add(ref);
  }
  if (used.has(ANY)) return { messages: types.messages, enums: types.enums };
  const only = <T>(models: Readonly<Record<string, T>>): Record<string, T> =>
    Object.fromEntries(Object.entries(models).filter(([name]) => used.has(name)));
  return { messages: only(types.messages), enums: only(types.enums) };
};

const build = ({ files, listed }: DescribedFiles): BuiltDefinition => {
  try {
    const built = buildTypes(files);
    const services = built.services.filter(
      ({ name }) => !isOwnService(name) && (listed?.includes(name) ?? true),
    );
    return { services, ...usedTypes(services, built) };
  } catch (error) {
    if (!(error instanceof FaultyDescriptors)) throw error;
    throw new ToolFailure('OUTPUT_TOO_LARGE', `The definitions have ${reasonOf(error)}.`);
  }
};

/** Prepares the work, which throws OUTPUT_TOO_LARGE for definitions that nobody could look at. */
export const prepare =
  async (input: DescribedFiles): Promise<() => BuiltDefinition> =>
  () =>
    build(input);
