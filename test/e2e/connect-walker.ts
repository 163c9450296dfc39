/** Somebody who goes the plain way through the Connect pages in Chromium, in one language, by role and name. */
import type { Locator, Page } from 'playwright-core';

import { type MessageKey, type Messages, messagesFor } from '../../src/connect/messages/messages.ts';
import type { TourSite } from './connect-tour-site.ts';
import { authorizeUrl } from './flow.ts';

type Values = Readonly<Record<string, string | number>>;

export class Walker {
  readonly site: TourSite;
  readonly page: Page;
  readonly messages: Messages;
  userId = '';
  /** The transaction of the flow under way. */
  transaction = '';

  constructor(site: TourSite, page: Page, language: string) {
    this.site = site;
    this.page = page;
    this.messages = messagesFor(language);
  }

  text(key: MessageKey, values?: Values): string {
    return this.messages.text(key, values);
  }

  button(key: MessageKey, values?: Values): Locator {
    return this.page.getByRole('button', { name: this.text(key, values), exact: true });
  }

  field(key: MessageKey, values?: Values): Locator {
    return this.page.getByLabel(this.text(key, values), { exact: true });
  }

  /** Starts a flow for its user; the selection page follows. */
  async start(parameters: Readonly<Record<string, string>> = {}): Promise<void> {
    const named = { lng: this.messages.language, ...parameters };
    const { plain } = this.site.applications;
    await this.page.goto(authorizeUrl(plain, { userId: this.userId, parameters: named }));
    this.transaction = new URL(this.page.url()).searchParams.get('transaction') ?? '';
  }

  /** Clicks what leads to another page, and waits for it. */
  async follow(control: Locator): Promise<void> {
    await Promise.all([this.page.waitForEvent('load'), control.click()]);
  }

  link(key: MessageKey): Locator {
    return this.page.getByRole('link', { name: this.text(key), exact: true });
  }

  press(key: MessageKey, values?: Values): Promise<void> {
    return this.follow(this.button(key, values));
  }

  /** Links ada's account at the real CalDAV server, from the selection page. */
  async linkCalDav(): Promise<void> {
    const { server, username, password } = this.site.login;
    await this.press('selection.connect', { provider: 'CalDAV' });
    await this.follow(this.link('form.by_server'));
    await this.field('form.server').fill(server);
    await this.field('form.username').fill(username);
    await this.field('form.password').fill(password);
    await this.press('form.connect');
  }
}
