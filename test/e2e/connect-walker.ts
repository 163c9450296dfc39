/** Somebody who goes through the Connect pages in one language, by the names of what is on them. */
import type { Locator, Page } from 'playwright-core';

import { type MessageKey, type Messages, messagesFor } from '../../src/connect/messages.ts';
import { adaIn, type TourSite } from './connect-tour-site.ts';
import { type Application, authorizeUrl, type CalendarLogin } from './flow.ts';

type Values = Readonly<Record<string, string | number>>;

export type Start = {
  readonly application?: Application;
  readonly parameters?: Readonly<Record<string, string>>;
};

export class Walker {
  readonly site: TourSite;
  readonly page: Page;
  readonly messages: Messages;
  /** The user of the chapter under way: nobody else's accounts are on its pages. */
  userId = '';
  /** The transaction of the flow under way. */
  transaction = '';

  constructor(site: TourSite, page: Page, language: string) {
    this.site = site;
    this.page = page;
    this.messages = messagesFor(language);
  }

  get login(): CalendarLogin {
    return this.site.login;
  }

  text(key: MessageKey, values?: Values): string {
    return this.messages.text(key, values);
  }

  button(key: MessageKey, values?: Values): Locator {
    return this.page.getByRole('button', { name: this.text(key, values), exact: true });
  }

  link(key: MessageKey, values?: Values): Locator {
    return this.page.getByRole('link', { name: this.text(key, values), exact: true });
  }

  field(key: MessageKey, values?: Values): Locator {
    return this.page.getByLabel(this.text(key, values), { exact: true });
  }

  /** Opens an address of the program, or another. */
  async open(address: string): Promise<void> {
    await this.page.goto(new URL(address, this.site.program.url).href);
  }

  /** Starts a flow for the chapter's user; the selection page follows. */
  async start({ application = this.site.applications.plain, parameters = {} }: Start = {}): Promise<void> {
    const named = { lng: this.messages.language, ...parameters };
    await this.open(authorizeUrl(application, { userId: this.userId, parameters: named }));
    this.transaction = new URL(this.page.url()).searchParams.get('transaction') ?? '';
  }

  /** Clicks what leads to another page, and waits for it. */
  async follow(control: Locator): Promise<void> {
    await Promise.all([this.page.waitForEvent('load'), control.click()]);
  }

  /** Follows a control to a page whose script would lead on at once. */
  async followWithoutScripts(control: Locator): Promise<void> {
    const session = await this.page.context().newCDPSession(this.page);
    await session.send('Emulation.setScriptExecutionDisabled', { value: true });
    await this.follow(control);
    await session.send('Emulation.setScriptExecutionDisabled', { value: false });
    await session.detach();
  }

  press(key: MessageKey, values?: Values): Promise<void> {
    return this.follow(this.button(key, values));
  }

  /** Opens what is folded under these words. */
  unfold(key: MessageKey): Promise<void> {
    return this.page.locator('summary', { hasText: this.text(key) }).click();
  }

  /** Fills in the form of CalDAV and sends it. */
  async signInToCalDav({ server, username, password }: CalendarLogin): Promise<void> {
    await this.field('form.server').fill(server);
    await this.field('form.username').fill(username);
    await this.field('form.password').fill(password);
    await this.press('form.connect');
  }

  /** Links ada's account at the real CalDAV server, from the selection page. */
  async linkCalDav(): Promise<void> {
    await this.press('selection.connect', { provider: 'CalDAV' });
    await this.signInToCalDav(this.login);
  }

  /** Goes through Google's own pages as somebody who was never there before, from the selection page. */
  async signInToGoogle(then: 'allow' | 'untick' | 'cancel' = 'allow'): Promise<void> {
    const email = adaIn(this.messages.language);
    await this.site.google.hand.revokeAccess(email);
    await this.press('selection.connect', { provider: 'Google' });
    await this.follow(this.page.getByRole('button', { name: email, exact: true }));
    if (then === 'untick') for (const box of await this.page.getByRole('checkbox').all()) await box.uncheck();
    const last = then === 'cancel' ? 'Cancel' : 'Continue';
    await this.follow(this.page.getByRole('button', { name: last, exact: true }));
  }

  /** The same at Microsoft. */
  async signInToMicrosoft(email: string): Promise<void> {
    await this.site.microsoft.hand.revokeAccess(email);
    await this.press('selection.connect', { provider: 'Microsoft' });
    await this.follow(this.page.getByRole('button', { name: email, exact: true }));
    await this.follow(this.page.getByRole('button', { name: /^(Accept|Return to the application.*)$/ }));
  }
}
