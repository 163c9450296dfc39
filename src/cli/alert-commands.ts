/** `kalends alert …`: problems that operators are notified of. */
import { openMailer } from '../config/mail-options.ts';
import { lazyEgress } from '../lib/egress/lazy-egress.ts';
import { alertChannels, alertDocument, testChannels } from '../system/alert-channels.ts';
import { openWebhookSigner } from '../webhooks/webhook-signer.ts';
import { type Command, CommandError, type Context, type Result } from './command.ts';
import { tabulate } from './help.ts';

const MOST_LISTED = 200;

const list: Command = {
  name: 'alert list',
  summary: 'List open alerts, then resolved ones of the last 90 days',
  notes: [`At most ${MOST_LISTED}. Alerts are evaluated each minute while a worker runs.`],
  run: (_, { withStorage }) =>
    withStorage(async ({ alerts }) => {
      const documents = (await alerts.listAlerts(MOST_LISTED)).map(alertDocument);
      const rows = documents.map(({ kind, summary, opened_at, resolved_at }) => [
        ...[resolved_at === null ? 'open' : 'resolved', kind, opened_at, resolved_at ?? '–', summary],
      ]);
      const heads = ['STATE', 'KIND', 'OPENED_AT', 'RESOLVED_AT', 'SUMMARY'];
      return {
        json: { alerts: documents },
        text: rows.length === 0 ? 'No alerts.' : tabulate([heads, ...rows]),
      };
    }),
};

const test: Command = {
  name: 'alert test',
  summary: 'Send a test to each recipient of alerts',
  notes: ['Recipients are KALENDS_ALERT_EMAIL and KALENDS_ALERT_WEBHOOK_URL. Exit code 1 if one fails.'],
  run: (_, context) =>
    withChannels(context, async (channels) => {
      if (channels.length === 0)
        throw new CommandError(
          'no_recipients',
          'No recipients: set KALENDS_ALERT_EMAIL or KALENDS_ALERT_WEBHOOK_URL.',
        );
      const results = (await testChannels(channels)).map(({ problem = null, ...recipient }) => ({
        ...recipient,
        sent: problem === null,
        problem,
      }));
      return {
        json: { results },
        text: tabulate(results.map((one) => [one.channel, one.recipient, one.problem ?? 'sent'])),
        exitCode: results.every(({ sent }) => sent) ? 0 : 1,
      };
    }),
};

type Channels = ReturnType<typeof alertChannels>;

const withChannels = (
  { withStorage, config, deps: { now } }: Context,
  work: (channels: Channels) => Promise<Result>,
): Promise<Result> =>
  withStorage(async ({ webhookKeys, sealer, addresses }) => {
    const alertEgress = lazyEgress({ privateNetwork: { mode: 'allow' } });
    // A reload that fails concerns only processes that run for long.
    const webhookSigner = await openWebhookSigner({
      webhookKeys,
      sealer,
      now,
      log: { error: () => undefined },
    });
    const { url: publicUrl } = await addresses();
    const settings = config();
    const deps = { mailer: openMailer(settings), alertEgress, webhookSigner, publicUrl, now };
    try {
      return await work(alertChannels(settings.alerts, deps));
    } finally {
      await alertEgress.close();
    }
  });

export const alertCommands: readonly Command[] = [list, test];
