/** Leaves out the types that no method can reach, so that the cached definition stays small. */
import type { ServiceModel, TypeModels } from './model.ts';

const ANY = 'google.protobuf.Any';

/** An `Any` can hold each of the types: then all of them stay. */
export const usedTypes = (services: readonly ServiceModel[], types: TypeModels): TypeModels => {
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
