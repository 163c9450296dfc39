/** A webhook endpoint as operators see it. */
import type { ListedEndpoint } from '../../webhooks/endpoint-store.ts';
import { type DocumentField, toTime } from './field.ts';

/** The topics in the order of all lists. Wire: do not rename. */
export const TOPICS = ['events', 'calendars', 'connections'] as const;

/** Returns the topics of an endpoint, and `own` if it also receives what its application changed itself. */
export const toTopics = ({ hears }: Pick<ListedEndpoint, 'hears'>): string[] =>
  [...TOPICS, 'own' as const].filter((topic) => hears[topic]);

function stateText({ state, pausedReason, failures, expiresAt }: ListedEndpoint): string {
  if (state === 'paused') return `paused (${pausedReason ?? 'operator'})`;
  if (expiresAt !== undefined) return 'listening';
  return failures === 0 ? 'active' : `failing (${failures})`;
}

export const ENDPOINT: readonly DocumentField<ListedEndpoint>[] = [
  { name: 'endpoint_id', value: ({ endpointId }) => endpointId },
  { name: 'client_id', value: ({ clientId }) => clientId },
  { name: 'url', value: ({ url }) => url },
  { name: 'private_network', value: ({ privateNetwork }) => privateNetwork === 1 },
  { name: 'is_webhook_url', value: ({ isFirst }) => isFirst },
  { name: 'hears', value: toTopics },
  { name: 'state', value: ({ state }) => state, text: stateText },
  { name: 'paused_reason', value: ({ pausedReason }) => pausedReason ?? null },
  { name: 'paused_at', value: ({ pausedAt }) => toTime(pausedAt) },
  { name: 'failures', value: ({ failures }) => failures },
  { name: 'failing_since', value: ({ failingSince }) => toTime(failingSince) },
  { name: 'last_fault', value: ({ lastFault }) => lastFault ?? null },
  { name: 'waiting', value: ({ waiting }) => waiting },
  { name: 'created_at', value: ({ createdAt }) => toTime(createdAt) },
  { name: 'expires_at', value: ({ expiresAt }) => toTime(expiresAt) },
];
