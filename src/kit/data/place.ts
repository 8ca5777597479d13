/**
 * Names where the files of a process are, for stores that several machines share: `<id> <host>`. The id
 * decides; the host is for people.
 */

const MAX_PLACE = 200;

export const placeText = (id: string, host: string): string => `${id} ${host}`.slice(0, MAX_PLACE);

const idOf = (place: string): string => place.split(' ', 1)[0] ?? '';

export const isSamePlace = (one: string, other: string): boolean => idOf(one) === idOf(other);

/** Returns the name for people. */
export const hostOf = (place: string): string => place.slice(place.indexOf(' ') + 1);
