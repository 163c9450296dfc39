import { UnsupportedByProvider } from '../calendars/provider-error.ts';

/** The refusal of a field that a provider cannot keep as it is wanted. */
export const unsupportedField = (field: string, message: string): UnsupportedByProvider =>
  new UnsupportedByProvider('field_not_supported_by_provider', message, field);
