/** The options that applications are registered with. */
import type { CommandOption } from './command.ts';

export const NAME: CommandOption = {
  name: 'name',
  value: 'NAME',
  doc: 'The name that operators see; users never see it.',
};

export const REDIRECT_URI: CommandOption = {
  name: 'redirect-uri',
  value: 'URI',
  doc: 'Where browsers return with the authorization code: https, http on this machine, or a private-use scheme.',
};

export const DISPLAY_NAME: CommandOption = {
  name: 'display-name',
  value: 'NAME',
  doc: 'The name on the Connect pages; "This application" by default.',
};

export const WEBHOOK_URL: CommandOption = {
  name: 'webhook-url',
  value: 'URL',
  doc: 'The URL that receives deliveries: https, or http on this machine.',
};
