/** A delivery and its attempts as operators see them. The names in JSON are those of the REST interface. */
import type { renderDelivery } from '../../webhooks/deliveries.ts';
import { visibleState } from '../../webhooks/message.ts';
import type { DocumentField } from './field.ts';

type Delivery = ReturnType<typeof renderDelivery> & { readonly clientId: string };

export const DELIVERY: readonly DocumentField<Delivery>[] = [
  { name: 'id', label: 'id', value: ({ id }) => id },
  { name: 'clientId', value: ({ clientId }) => clientId },
  { name: 'endpointId', label: 'endpoint', value: ({ endpointId }) => endpointId },
  { name: 'userId', label: 'user', value: ({ userId }) => userId },
  { name: 'provider', label: 'provider', value: ({ provider }) => provider },
  {
    name: 'calendarId',
    label: 'calendar',
    value: ({ calendarId }) => calendarId,
    text: ({ calendarId }) => calendarId,
  },
  { name: 'sequence', label: 'sequence number', value: ({ sequence }) => sequence },
  { name: 'changeType', label: 'change', value: ({ changeType }) => changeType },
  { name: 'eventCount', label: 'events', value: ({ eventCount }) => eventCount },
  { name: 'state', label: 'state', value: ({ state }) => state, text: visibleState },
  { name: 'reason', label: 'reason', value: ({ reason }) => reason },
  { name: 'attempts', label: 'attempts', value: ({ attempts }) => attempts },
  { name: 'createdAt', label: 'created', value: ({ createdAt }) => createdAt },
  { name: 'nextAttemptAt', label: 'next attempt', value: ({ nextAttemptAt }) => nextAttemptAt },
  { name: 'settledAt', label: 'finished', value: ({ settledAt }) => settledAt },
];

/** An attempt as text has it. */
export const ATTEMPT: readonly DocumentField<{
  readonly number: number;
  readonly startedAt: string;
  readonly durationMs: number;
  readonly status?: number;
  readonly fault?: string;
}>[] = [
  { name: 'attempt', value: ({ number }) => number },
  { name: 'at', value: ({ startedAt }) => startedAt },
  { name: 'duration', value: ({ durationMs }) => `${durationMs} ms` },
  { name: 'status', value: ({ status }) => status ?? '-' },
  { name: 'outcome', value: ({ fault }) => fault ?? 'delivered' },
];
