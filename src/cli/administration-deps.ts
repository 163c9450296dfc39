/** Operations of administration, run by the command line. */
import type { AdministrationDeps } from '../administration/operations/operation.ts';
import { logoImage } from '../branding/logo-image.ts';
import { openMailer } from '../config/mail-options.ts';
import { lazyEgress } from '../lib/egress/lazy-egress.ts';
import { runningProgram } from '../system/running-program.ts';
import { openWebhookSigner } from '../webhooks/webhook-signer.ts';
import type { Context, Storage } from './command.ts';

/** Returns the dependencies of operations; the actor is the command line. */
export const administrationDeps = (
  storage: Storage,
  { config, deps: { now, inspectStorage } }: Context,
): Storage & AdministrationDeps => {
  const { privateNetwork, requestLogDays } = config();
  const { backup, system, webhookKeys, signingKeys: signingKeyStore, sealer } = storage;
  const webhookEgress = lazyEgress({ privateNetwork });
  return {
    ...storage,
    ...{ actor: 'command line', privateNetwork, mailer: openMailer(config()), now, drawLogo: logoImage },
    requestLogDays,
    ...{ egress: webhookEgress, webhookEgress, signingKeyStore },
    openSigner: () => openWebhookSigner({ webhookKeys, sealer, now, log: { error() {} } }),
    program: runningProgram(config(), { ...system, inspectStorage, backup, now }),
  };
};
