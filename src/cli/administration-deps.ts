/** Operations of administration, run by the command line. */
import type { AdministrationDeps } from '../administration/operations/operation.ts';
import { openMailer } from '../config/mail-options.ts';
import type { Context, Storage } from './command.ts';

/** Returns the dependencies of operations; the actor is the command line. */
export const administrationDeps = (
  storage: Storage,
  { config, deps: { now } }: Context,
): Storage & AdministrationDeps => ({
  ...storage,
  ...{ actor: 'command line', privateNetwork: config().privateNetwork, mailer: openMailer(config()), now },
});
