/** The options that applications are registered with. */
import type { CommandOption } from './command.ts';

/** What the operator calls it. */
export const NAME: CommandOption = {
  name: 'name',
  value: 'NAME',
  doc: 'Your own name for it; its users never see it.',
};

/** Where codes go. */
export const REDIRECT_URI: CommandOption = {
  name: 'redirect-uri',
  value: 'URI',
  doc: 'Where browsers return with the code: https, http on this machine, or a private-use scheme.',
};

/** What its users read. */
export const DISPLAY_NAME: CommandOption = {
  name: 'display-name',
  value: 'NAME',
  doc: 'What the Connect pages call it; without one they use general words.',
};

/** Its first endpoint. */
export const WEBHOOK_URL: CommandOption = {
  name: 'webhook-url',
  value: 'URL',
  doc: 'Where changes are told: https, or http on this machine.',
};
