import { UnsupportedByProvider } from '../calendars/provider-error.ts';

/** Returns the error for a field that a provider cannot store as requested. */
export const unsupportedField = (field: string, message: string): UnsupportedByProvider =>
  new UnsupportedByProvider('field_not_supported_by_provider', message, field);
