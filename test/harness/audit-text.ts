import assert from 'node:assert/strict';

/** Returns an entry of the audit log as text without its random ids, which may contain any letters. */
export function auditText(entry: Readonly<Record<string, unknown>> = {}): string {
  const { client_id: _, subject, ...rest } = entry;
  assert.match(String(subject), /^user_[\w-]{16}$/);
  return JSON.stringify(rest);
}
