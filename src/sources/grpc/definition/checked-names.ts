/** Names of Protocol Buffers. Reflection can send any text for one. */
const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;
const TYPE_NAME = /^[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*$/;
const MAX_TYPE_NAME = 512;

/** Tells whether the driver itself uses a service; such services are no tools. */
export const isOwnService = (name: string): boolean =>
  name.startsWith('grpc.reflection.') || name === 'grpc.health.v1.Health';

export const isIdentifier = (name: string): boolean => IDENTIFIER.test(name);

/** Tells whether a name is a type name with its package, as it stands in the path of requests. */
export const isTypeName = (name: string): boolean =>
  name.length <= MAX_TYPE_NAME && TYPE_NAME.test(name);
