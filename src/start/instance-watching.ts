/** Metrics and traces of an instance, each only if a setting enables it. */
import type { ProviderKind } from '../calendars/provider-facts.ts';
import type { Config } from '../config/config.ts';
import type { JobHandlers } from '../jobs/worker.ts';
import type { Egress } from '../lib/egress/egress.ts';
import type { Log } from '../lib/log.ts';
import type { Database } from '../store/drivers/database.ts';
import { timedDatabase, tracedDatabase } from '../store/drivers/wrapped-database.ts';
import { instanceMeters } from './instance-meters.ts';

export type Watching = Awaited<ReturnType<typeof openWatching>>;

export async function openWatching(config: Config, log: Log) {
  const { metricsToken, metricsAddress } = config;
  // Nothing is counted if the metrics cannot be read.
  const isCounted = metricsToken !== undefined || metricsAddress !== undefined;
  // Ages use the database's clock.
  let clockOffset = () => 0;
  const meters = isCounted ? instanceMeters(() => Date.now() + clockOffset()) : undefined;
  const tracing = await openTracing(config, log, meters?.spansEnded);
  return {
    meters,
    listeners: { ...meters?.listeners, ...tracing?.listeners },
    wrapped(db: Database): Database {
      clockOffset = () => db.server?.clockOffset() ?? 0;
      const traced = tracing === undefined ? db : tracedDatabase(db);
      return meters === undefined ? traced : timedDatabase(traced, meters.wrote);
    },
    egressTo(kind: ProviderKind, egress: Egress): Egress {
      const traced = tracing?.egressTo(kind, egress) ?? egress;
      return meters?.egressTo(kind, traced) ?? traced;
    },
    webhookEgress: (egress: Egress): Egress => tracing?.webhookEgress(egress) ?? egress,
    handlers: (handlers: JobHandlers): JobHandlers => meters?.timedJobs(handlers) ?? handlers,
    stop: async () => tracing?.stop(),
  };
}

async function openTracing(
  { tracing, tracingProblem, trustProxy }: Config,
  log: Log,
  exportEnded: (outcome: 'sent' | 'dropped', spans: number) => void = () => {},
) {
  if (tracingProblem !== undefined)
    log.warn({ event: 'tracing_not_started', reason: tracingProblem }, 'Traces are not sent');
  if (tracing === undefined) return undefined;
  const { instanceTracing } = await import('./instance-tracing.ts');
  return instanceTracing(tracing, trustProxy, { log, exportEnded });
}
