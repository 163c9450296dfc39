/** The tracing of an instance, loaded only if a collector is set. */
import { randomBytes } from 'node:crypto';

import type { ProviderKind } from '../calendars/provider-facts.ts';
import type { SyncFailure } from '../calendars/sync-failure.ts';
import type { Config } from '../config/config.ts';
import type { TracingSettings } from '../config/tracing-settings.ts';
import { peers } from '../http/peers.ts';
import type { Job } from '../jobs/job-store.ts';
import type { Egress } from '../lib/egress/egress.ts';
import type { Log } from '../lib/log.ts';
import { version } from '../lib/version.ts';
import { startExporter } from '../tracing/otlp-exporter.ts';
import { tracedEgress } from '../tracing/traced-egress.ts';
import { openTracer, type Tracer } from '../tracing/tracer.ts';
import type { TakenStream } from '../webhooks/message.ts';

export type InstanceTracing = ReturnType<typeof instanceTracing>;

type TracingDeps = {
  readonly log: Log;
  /** Called with the number of sent or dropped spans. */
  readonly exportEnded: (outcome: 'sent' | 'dropped', spans: number) => void;
};

export function instanceTracing(
  { url, headers, attributes, tells, ...sampler }: TracingSettings,
  trustProxy: Config['trustProxy'],
  { log, exportEnded }: TracingDeps,
) {
  const program = { version: version(), instanceId: randomBytes(9).toString('base64url'), attributes };
  const exporter = startExporter({ url, headers, program, log, exportEnded });
  const tracer = openTracer({ ...sampler, ended: (span) => exporter.add(span) });
  const peerOf = peers(trustProxy);
  // A proxy on this machine is trusted only if any proxies are trusted.
  const isProxy = (address: string) => trustProxy !== undefined && peerOf(address) !== 'caller';
  return {
    listeners: {
      tracedRequests: { tracer, isProxy },
      jobInTrace: jobInTrace(tracer),
      deliveryInTrace: deliveryInTrace(tracer),
    },
    egressTo: (peer: ProviderKind, egress: Egress): Egress =>
      tracedEgress(egress, { peer, tells: tells === 'all', namesServers: peer !== 'caldav' }, tracer),
    webhookEgress: (egress: Egress): Egress =>
      tracedEgress(egress, { peer: 'webhook', tells: tells !== 'none', namesServers: true }, tracer),
    stop: () => exporter.stop(),
  };
}

const jobInTrace =
  (tracer: Tracer) =>
  async (job: Job, work: () => Promise<SyncFailure | undefined>): Promise<SyncFailure | undefined> => {
    const span = tracer.start('consumer', job.trace);
    const end = (error: string | undefined) =>
      span.end(
        `job ${job.kind}`,
        { 'kalends.job': job.kind, 'kalends.attempt': job.attempts + 1, 'error.type': error },
        error !== undefined,
      );
    try {
      const failure = await tracer.run(span, work);
      end(failure?.kind);
      return failure;
    } catch (reason) {
      end('fault');
      throw reason;
    }
  };

const deliveryInTrace =
  (tracer: Tracer) =>
  async <T>(stream: TakenStream, work: () => Promise<T>): Promise<T> => {
    const span = tracer.start('producer', stream.trace);
    const attributes = {
      'kalends.application': stream.clientId,
      'kalends.endpoint': stream.endpoint.endpointId,
    };
    try {
      const next = await tracer.run(span, work);
      span.end('deliver', attributes, false);
      return next;
    } catch (reason) {
      span.end('deliver', { ...attributes, 'error.type': 'fault' }, true);
      throw reason;
    }
  };
