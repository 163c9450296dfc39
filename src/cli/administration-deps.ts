/** Operations of administration, run by the command line. */
import type { AdministrationDeps } from '../administration/operations/operation.ts';
import { logoImage } from '../branding/logo-image.ts';
import type { Config } from '../config/config.ts';
import { openMailer } from '../config/mail-options.ts';
import { lazyEgress } from '../lib/egress/lazy-egress.ts';
import { type AlertTest, alertChannels, testChannels } from '../system/alert-channels.ts';
import { runningProgram } from '../system/running-program.ts';
import { openWebhookSigner } from '../webhooks/webhook-signer.ts';
import type { Context, Storage } from './command.ts';

/** Returns the dependencies of operations; the actor is the command line. */
export const administrationDeps = (
  storage: Storage,
  { config, deps: { now, inspectStorage, requestedScope } }: Context,
): Storage & AdministrationDeps => {
  const { privateNetwork, requestLogDays } = config();
  const { backup, system, signingKeys: signingKeyStore } = storage;
  const mailer = openMailer(config());
  const webhookEgress = lazyEgress({ privateNetwork });
  return {
    ...storage,
    ...{ actor: 'command line', privateNetwork, mailer, now, drawLogo: logoImage, requestLogDays },
    ...{ egress: webhookEgress, webhookEgress, signingKeyStore },
    openSigner: () => openSigner(storage, now),
    program: runningProgram(config(), { ...system, inspectStorage, requestedScope, backup, now }),
    testAlerts: () => sendTests(config(), { ...storage, mailer, now }),
  };
};

// A reload that fails concerns only processes that run for long.
const openSigner = (storage: Pick<Storage, 'webhookKeys' | 'sealer'>, now: () => number) =>
  openWebhookSigner({ ...storage, now, log: { error: () => undefined } });

async function sendTests(
  settings: Config,
  { mailer, now, ...storage }: Storage & Pick<AdministrationDeps, 'mailer' | 'now'>,
): Promise<readonly AlertTest[]> {
  const alertEgress = lazyEgress({ privateNetwork: { mode: 'allow' } });
  const webhookSigner = await openSigner(storage, now);
  const { url: publicUrl } = await storage.addresses();
  const deps = { mailer, alertEgress, webhookSigner, publicUrl, now };
  try {
    return await testChannels(alertChannels(settings.alerts, deps));
  } finally {
    await alertEgress.close();
  }
}
