/** What an application keeps with an event, in a named property of ours. */
import type { Event as GraphEvent } from '@microsoft/microsoft-graph-types';

import { CUSTOM_PROPERTY } from './graph-facts.ts';

/** A JSON object; anything else under the name is not ours. */
export function customOf(item: GraphEvent): Readonly<Record<string, unknown>> | undefined {
  const property = item.singleValueExtendedProperties?.find(({ id }) => isOurs(id));
  const value = parsed(property?.value ?? '');
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? { ...value } : undefined;
}

/** (k) Graph answers the GUID in a case of its own. */
const isOurs = (id: string | undefined): boolean => id?.toLowerCase() === CUSTOM_PROPERTY.toLowerCase();

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
