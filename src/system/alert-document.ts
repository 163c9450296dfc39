/** The document of an alert, which webhooks, the administration API and `alert list` share. */
import { instantText } from '../lib/rendered-json.ts';
import type { Alert } from './alert-store.ts';

/** The fields, in the form of administration/documents/field.ts. Wire: do not rename. */
export const ALERT = [
  { name: 'id', value: ({ alertId }: Alert) => alertId },
  { name: 'kind', value: ({ kind }: Alert) => kind },
  { name: 'severity', value: ({ severity }: Alert) => severity },
  { name: 'summary', value: ({ summary }: Alert) => summary },
  { name: 'action', value: ({ action }: Alert) => action },
  { name: 'client_id', value: ({ clientId }: Alert) => clientId ?? null },
  { name: 'subject', value: ({ subject }: Alert) => subject },
  { name: 'url', value: ({ url }: Alert) => url ?? null },
  { name: 'opened_at', value: ({ openedAt }: Alert) => instantText(openedAt) },
  { name: 'resolved_at', value: resolvedAtText, text: (alert: Alert) => resolvedAtText(alert) ?? '–' },
];

function resolvedAtText({ resolvedAt }: Alert): string | null {
  return resolvedAt === undefined ? null : instantText(resolvedAt);
}

export const alertDocument = (alert: Alert): Readonly<Record<string, string | null>> =>
  Object.fromEntries(ALERT.map(({ name, value }) => [name, value(alert)]));
