/** An entry of the audit log as operators see it. */
import type { AuditEntry, AuditFields } from '../../audit/audit-entry.ts';
import { type DocumentField, toTime } from './field.ts';

export const AUDIT_ENTRY: readonly DocumentField<AuditEntry>[] = [
  { name: 'number', value: ({ number }) => number },
  { name: 'at', value: ({ at }) => toTime(at) },
  { name: 'actor', value: ({ actor }) => actor, text: actorText },
  { name: 'address', value: ({ address }) => address ?? null },
  { name: 'action', value: ({ action }) => action },
  { name: 'client_id', value: ({ clientId }) => clientId ?? null, text: ({ clientId = '' }) => clientId },
  { name: 'subject', value: ({ subject }) => subject ?? null, text: ({ subject = '' }) => subject },
  { name: 'before', value: ({ before }) => before ?? null },
  { name: 'after', value: ({ after }) => after ?? null },
];

/** The change as text has it in place of `before` and `after`. */
export const CHANGE: DocumentField<AuditEntry> = { name: 'change', value: changeText };

function actorText({ actor, address }: AuditEntry): string {
  const kind = { command_line: 'command line', person: '', admin_key: 'admin key', system: 'system' }[
    actor.kind
  ];
  const name = 'name' in actor ? `${actor.name}${kind === '' ? '' : ` (${kind})`}` : kind;
  return address === undefined ? name : `${name} at ${address}`;
}

/** Returns what changed, such as `name: "Acme" → "Acme Ltd"`. */
function changeText({ before = {}, after = {} }: AuditEntry): string {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const valueText = (fields: AuditFields, name: string) => JSON.stringify(fields[name] ?? null);
  return names
    .map((name) => {
      if (!(name in after)) return `${name}: ${valueText(before, name)}`;
      const previous = name in before ? `${valueText(before, name)} → ` : '';
      return `${name}: ${previous}${valueText(after, name)}`;
    })
    .join(', ');
}
